// Commands about channels that need no table.
#include "module/abi/reply.h"
#include "module/route/route_commands.h"
#include "module/route/route_requests.h"

namespace millrace::module {

void route_patterns(abi::Context context, abi::Arguments arguments) {
  const auto channel = parse_route_patterns(arguments.views(1));
  if (!channel) return context.reply().error(channel.error());
  const auto patterns = channel->patterns();
  abi::Reply reply = context.reply();
  reply.array(patterns.size());
  for (const RouteChannel& pattern : patterns) reply.bytes(pattern.name());
}

void route_partition(abi::Context context, abi::Arguments arguments) {
  const auto request = parse_route_partition(arguments.views(1));
  if (!request) return context.reply().error(request.error());
  context.reply().integer(partition_of(request->channel, request->partitions));
}

}  // namespace millrace::module
