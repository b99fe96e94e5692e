#include "gateway/routes/probes.h"

#include "gateway/routes/answers.h"

namespace millrace::gateway {
namespace {

Task<Response> probe_server(Services& services) {
  Words words = {"PING"};
  const Answer answer = co_await services.upstream.ask(std::move(words), Upstream::kNoKey);
  // Without a body, because DSPS sends none with this status.
  if (!answer || answer->is_error()) co_return Response{.status = 500};
  co_return json_response(R"({"server":"ok"})");
}

Task<Response> liveness(Services& services, ExchangePtr) { co_return co_await probe_server(services); }

Task<Response> readiness(Services& services, ExchangePtr) {
  if (services.is_draining) co_return Response{.status = 500};
  co_return co_await probe_server(services);
}

Task<Response> openapi(Services& services, ExchangePtr) { co_return json_response(services.openapi); }

}  // namespace

const std::vector<Route>& probe_routes() {
  static const std::vector<Route> routes = {
      {"GET", "/probe/liveness", liveness, Resource::None, Right::Read,
       "Whether the gateway lives and reaches the server", "", "server:string"},
      {"GET", "/probe/readiness", readiness, Resource::None, Right::Read, "Whether it serves clients", "",
       "server:string"},
      {"GET", "/openapi.json", openapi, Resource::None, Right::Read, "This description", "",
       "openapi:string info:object paths:object components:object"},
  };
  return routes;
}

}  // namespace millrace::gateway
