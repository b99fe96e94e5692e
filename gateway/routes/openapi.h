// /openapi.json: a description of the routes in OpenAPI 3.1.
#pragma once

#include <string>

#include "gateway/routes/router.h"

namespace millrace::gateway {

std::string openapi_json(const Router& router);

}  // namespace millrace::gateway
