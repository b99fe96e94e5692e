// Intrusive lists of recipients. A recipient is in one list of its owner's recipients, and its queue in up to two more;
// each kind has its own pair of links.
#pragma once

#include "engine/shard/recipients.h"
#include "engine/shard/worker.h"

namespace millrace {

struct Links {
  RecipientId& before;
  RecipientId& after;
};

inline Links own_links(Recipient& recipient) { return {recipient.before, recipient.after}; }
inline Links ready_links(Recipient& recipient) { return {recipient.queue->ready_before, recipient.queue->ready_after}; }
inline Links held_links(Recipient& recipient) { return {recipient.queue->held_before, recipient.queue->held_after}; }

// Adds at the end. REQUIRES: the recipient is in no list of this kind.
template <Links (*links)(Recipient&)>
void add_to_list(Recipients& all, RecipientList& list, RecipientId id) {
  links(all[id]).before = list.last;
  links(all[id]).after = RecipientId::none();
  (list.last.is_none() ? list.first : links(all[list.last]).after) = id;
  list.last = id;
}

// REQUIRES: the recipient is in this list.
template <Links (*links)(Recipient&)>
void take_from_list(Recipients& all, RecipientList& list, RecipientId id) {
  const Links own = links(all[id]);
  (own.before.is_none() ? list.first : links(all[own.before]).after) = own.after;
  (own.after.is_none() ? list.last : links(all[own.after]).before) = own.before;
  own.before = own.after = RecipientId::none();
}

}  // namespace millrace
