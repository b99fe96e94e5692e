// Finds the handler of a request by its method and path.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/auth/access_rules.h"
#include "gateway/http/exchange.h"
#include "gateway/loop/task.h"
#include "gateway/routes/services.h"

namespace millrace::gateway {

struct AdminRow;

using Handler = Task<Response> (*)(Services& services, ExchangePtr exchange);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/v1/logs/{log}"; the values of names are stored in exchange->names
  Handler handler;
  Resource resource = Resource::None;  // the first name in the path is the name of the resource
  Right right = Right::Read;
  std::string_view summary = {};     // a short phrase for /openapi.json; empty: a page, which is not described there
  std::string_view parameters = {};  // parameters of the query: "from count tags"
  std::string_view answer = {};      // fields of its JSON object: "messages:array next?:integer"; ? means optional
  const AdminRow* admin = nullptr;   // for a route of the console
};

class Router {
 public:
  // REQUIRES: the rows outlive the router.
  void add(const std::vector<Route>& rows, std::string_view prefix = "");

  struct Found {
    const Route* route = nullptr;
    std::vector<std::string> names;
    std::string allowed;  // methods that other rows allow for this path; empty: no row has it
  };
  Found find(const Request& request) const;

  // Every row with its whole path.
  struct Described {
    const Route* route;
    std::string path;
  };
  std::vector<Described> describe() const;

 private:
  struct Row {
    const Route* route;
    std::vector<std::string> segments;  // "{" stands for a name
    std::string path;
  };
  std::vector<Row> rows_;
};

}  // namespace millrace::gateway
