// How every command runs: parse the words, open the key, execute, answer, carry out the consequences. A command is
// a type that defines the parts that differ:
//
//   struct Tack {
//     using Object = Log;
//     static constexpr auto parse = parse_tack;             // the words after the key -> the request
//     static Outcome<uint64_t> execute(Place<Log>& log, AckRequest& request, const Call& call);
//     static constexpr auto write = write_number;           // the answer as RESP
//   };
//
// If its operation gives its results to a sink, execute takes a Reply as its fourth argument. A command may also
// have:
//
//     static Now now(const Request&);                       // if it uses fewer clocks than others of its family;
//     static Now now(const Request&, const Object*);        // or does so for some objects; null: no object
//     static Result<void> check(abi::Context, abi::StringRef key, const Request&);   // rights, roles
//     static bool grows(const Object*, const Request&);     // refused when memory is full
//     static bool only_reads(const Request&);               // the key is opened for reading
//     static void prepare(KeyPlace<Object>&, Call&);        // runs before the request, with its own consequences
//     static constexpr bool kApplies = true;                // applies effects: errors count as refused payloads
//
// A command that can wait, which is one whose request has a member block_ms, has:
//
//     static bool changes(const Request&);                  // serving it must be replicated
//     static Wait start_afresh(Request&);
//     static void answer_timeout(abi::Reply, const Object*, const Request&);
//     // If it may also wait without BLOCK, because it continues in several turns (Wait::goes_on). If the object is
//     // removed meanwhile, it gets the answer of a time-out.
//     static bool may_go_on(const Request&);
//     // If it waits by tag: called before it is tried again for the message at this mark.
//     static void resume(Request&, uint64_t mark);
//     // Optional: the client with this number will be answered.
//     static void was_served(const DatabaseKey&, const Request&, uint64_t client);
//     // Optional: its client was served, and disconnected before the answer was written.
//     static void left_unanswered(const DatabaseKey&, const Request&, uint64_t client);
//
// A command that only reads has `show` instead of `execute`:
//
//     static void show(abi::Reply reply, const Shown<Object>& shown, const Request& request);
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "module/runtime/counters.h"
#include "module/runtime/waiting.h"

namespace millrace::module {

// An object that a command only reads.
template <class Object>
struct Shown {
  const Object* object;  // null: there is none
  abi::StringRef name;
  int database;
  const abi::TypedKey<Object>& key;
};

// For commands without arguments of their own.
struct NoRequest {};
inline Result<NoRequest> parse_nothing(std::span<const ByteView>) { return NoRequest(); }

template <class Command>
using RequestOf = typename decltype(Command::parse(std::span<const ByteView>()))::value_type;

// How answers of many commands are written.
inline constexpr auto write_number = [](abi::Reply reply, auto number) { reply.integer(static_cast<int64_t>(number)); };
inline constexpr auto write_ok = [](abi::Reply reply, Done) { reply.ok(); };

namespace detail {

template <class Command>
auto execute(KeyPlace<typename Command::Object>& place, RequestOf<Command>& request, const Call& call,
             abi::Reply reply) {
  if constexpr (requires { Command::execute(place, request, call, reply); }) {
    return Command::execute(place, request, call, reply);
  } else {
    return Command::execute(place, request, call);
  }
}

// Writes the answer, or the error, of a request that does not wait.
template <class Command, class Answer>
void write(abi::Reply reply, const Outcome<Answer>& outcome) {
  if (outcome.consequences.wait) return;
  if (outcome.answer) return Command::write(reply, *outcome.answer);
  // This command applies an effect from a master or an AOF: count the refused bytes.
  if constexpr (requires { Command::kApplies; }) ++counters.refused_payloads;
  reply.error(outcome.answer.error());
}

}  // namespace detail

template <class Command>
class WaitingCommand final : public WaitingClient<typename Command::Object> {
 public:
  using Object = typename Command::Object;
  using Request = RequestOf<Command>;

  // The views in the request point into the command's arguments, which this object keeps alive.
  WaitingCommand(DatabaseKey place, abi::Arguments arguments, Request request, uint64_t client)
      : WaitingClient<Object>(std::move(place), arguments), request_(std::move(request)), client_(client) {}

  bool changes() const override { return Command::changes(request_); }
  Wait start_afresh() override { return Command::start_afresh(request_); }
  bool only_goes_on() const override { return !request_.block_ms; }
  const Request& request() const { return request_; }

 private:
  Consequences execute(KeyPlace<Object>& place, const Call& call, abi::Reply reply) override {
    if constexpr (requires { Command::resume(request_, 0); }) Command::resume(request_, this->mark());
    auto outcome = detail::execute<Command>(place, request_, call, reply);
    detail::write<Command>(reply, outcome);
    return std::move(outcome.consequences);
  }

  void answer_timeout(abi::Reply reply) override {
    const abi::Context context = abi::own_context();
    context.select(this->place().database);
    const auto key = abi::TypedKey<Object>::for_reading(context, abi::OwnedString(this->place().name));
    Command::answer_timeout(reply, key ? key->get() : nullptr, request_);
  }

  void was_served() override {
    if constexpr (requires { Command::was_served(this->place(), request_, client_); }) {
      Command::was_served(this->place(), request_, client_);
    }
  }

  void left_unanswered() override {
    if constexpr (requires { Command::left_unanswered(this->place(), request_, client_); }) {
      Command::left_unanswered(this->place(), request_, client_);
    }
  }

  Request request_;
  uint64_t client_;
};

namespace detail {

template <class Command>
Now now_for(const RequestOf<Command>& request, const typename Command::Object* object) {
  if constexpr (requires { Command::now(request, object); }) {
    return Command::now(request, object);
  } else if constexpr (requires { Command::now(request); }) {
    return Command::now(request);
  } else {
    return ObjectTraits<typename Command::Object>::now();
  }
}

template <class Command>
Result<void> check(abi::Context context, abi::StringRef name, const RequestOf<Command>& request) {
  if constexpr (requires { Command::check(context, name, request); }) {
    return Command::check(context, name, request);
  } else {
    return {};
  }
}

template <class Command>
auto open(abi::Context context, abi::StringRef name, const RequestOf<Command>& request) {
  using Key = abi::TypedKey<typename Command::Object>;
  if constexpr (requires { Command::only_reads(request); }) {
    if (Command::only_reads(request)) return Key::for_reading(context, name);
  }
  return Key::for_writing(context, name);
}

template <class Command>
bool may_wait(const RequestOf<Command>& request) {
  if constexpr (requires { Command::may_go_on(request); }) {
    if (Command::may_go_on(request)) return true;
  }
  return request.block_ms.has_value();
}

template <class Command>
Result<void> check_memory(abi::Context context, const typename Command::Object* object,
                          const RequestOf<Command>& request) {
  if constexpr (requires { Command::grows(object, request); }) {
    if (Command::grows(object, request)) return may_grow(context);
  }
  return {};
}

}  // namespace detail

template <class Command>
void run_changing(abi::Context context, abi::Arguments arguments) {
  using Object = typename Command::Object;
  constexpr bool kCanWait = requires(RequestOf<Command> request) { request.block_ms; };
  auto request = Command::parse(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  if (const auto may = detail::check<Command>(context, name, *request); !may) return context.reply().error(may.error());
  auto key = detail::open<Command>(context, name, *request);
  if (!key) return context.reply().error(key.error());
  if (const auto may = detail::check_memory<Command>(context, key->get(), *request); !may) {
    return context.reply().error(may.error());
  }
  KeyPlace<Object> place(context, name, *key);
  Call call{.now = detail::now_for<Command>(*request, key->get()), .decides = decides(context)};
  if constexpr (kCanWait) {
    call.may_wait = detail::may_wait<Command>(*request) && call.decides && !context.must_answer_at_once();
  }
  if constexpr (requires { Command::prepare(place, call); }) Command::prepare(place, call);
  // Not moved: Consequences is a large struct, most of which is empty.
  const auto outcome = detail::execute<Command>(place, *request, call, context.reply());
  const Consequences& follow = outcome.consequences;
  detail::write<Command>(context.reply(), outcome);
  if constexpr (kCanWait) {
    if (follow.wait) {
      const uint64_t timeout_ms = request->block_ms.value_or(0);
      auto client = std::make_unique<WaitingCommand<Command>>(place.database_key(), arguments, std::move(*request),
                                                              context.client());
      WaitingClients<Object>::block(context, name, std::move(client), *follow.wait, timeout_ms);
    }
  }
  carry_out(place, follow);
}

template <class Command>
void run_showing(abi::Context context, abi::Arguments arguments) {
  using Object = typename Command::Object;
  const auto request = Command::parse(arguments.views(2));
  if (!request) return context.reply().error(request.error());
  const abi::StringRef name = arguments.string(1);
  const auto key = abi::TypedKey<Object>::for_reading(context, name);
  if (!key) return context.reply().error(key.error());
  Command::show(context.reply(), Shown<Object>{key->get(), name, context.database(), *key}, *request);
}

template <class Command>
void run(abi::Context context, abi::Arguments arguments) {
  if constexpr (requires { &Command::show; }) {
    run_showing<Command>(context, arguments);
  } else {
    run_changing<Command>(context, arguments);
  }
}

}  // namespace millrace::module
