#include "cli/serve_command.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "gateway/config/config_file.h"
#include "gateway/config/settings.h"
#include "gateway/gateway.h"

namespace millrace::cli {
namespace {

struct ServeOptions {
  ServerOptions server;
  std::vector<std::string> listen;
  std::string dsps_prefix;
  std::string config;
  std::vector<std::string> settings;
  bool checks = false;
  bool prints = false;
};

constexpr const char* kServeFooter =
    R"(A setting of the file (--print lists them) may also come from the environment, limits.body
as MILLRACE_LIMITS_BODY, or from --set; the command line counts most. SIGTERM and Ctrl-C
end it in order, SIGHUP loads the certificate again. Without tokens only this machine is
served.

Examples:
  millrace serve                            before 127.0.0.1:6379, at http://127.0.0.1:8380
  millrace serve --to redis://db1 --config gateway.toml
  curl -d '{"id":17}' -H 'Millrace-Tag: new' http://127.0.0.1:8380/v1/logs/orders
  curl -N -H 'Accept: text/event-stream' http://127.0.0.1:8380/v1/logs/orders)";

client::Result<void> set_one(gateway::Config& config, const std::string& words) {
  using client::ErrorCode;
  const size_t equal = words.find('=');
  if (equal == words.npos) return client::fail(ErrorCode::BadInput, "--set takes NAME=VALUE, not " + words);
  const std::string name = words.substr(0, equal);
  const gateway::Setting* const setting = gateway::find_setting(name);
  if (setting == nullptr) return client::fail(ErrorCode::BadInput, "there is no setting '" + name + "'");
  const auto wrong = gateway::set_from_text(*setting, config, std::string_view(words).substr(equal + 1));
  if (wrong) return client::fail(ErrorCode::BadInput, "--set " + name + ": " + *wrong);
  return {};
}

client::Result<gateway::Config> configuration(const ServeOptions& options) {
  gateway::Config config;
  if (!options.config.empty()) {
    if (auto read = gateway::read_config_file(options.config, config); !read) return std::unexpected(read.error());
  }
  if (auto read = gateway::read_environment(config); !read) return std::unexpected(read.error());
  for (const std::string& words : options.settings) {
    if (auto set = set_one(config, words); !set) return std::unexpected(set.error());
  }
  if (!options.listen.empty()) config.listen = options.listen;
  if (!options.dsps_prefix.empty()) config.dsps_prefix = options.dsps_prefix;
  return config;
}

int run_gateway(const ServeOptions& options) {
  const auto refuse = [](const client::Error& why) {
    std::fprintf(stderr, "millrace serve: %s\n", why.text.c_str());
    return kWrongCall;
  };
  const auto config = configuration(options);
  if (!config) return refuse(config.error());
  ServerOptions to = options.server;
  if (to.to.empty() && !config->to.empty()) to.to = {config->to};
  const auto server = to.connection();
  if (!server) return refuse(server.error());
  if (auto usable = gateway::check(*config); !usable) return refuse(usable.error());
  if (options.prints) std::fputs(gateway::config_text(*config).c_str(), stdout);
  if (options.prints || options.checks) return kDone;
  const auto done = gateway::serve(*config, *server, [](const std::string& sentence) {
    std::printf("%s\n", sentence.c_str());
    std::fflush(stdout);
  });
  return done ? kDone : refuse(done.error());
}

}  // namespace

void add_serve_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* command = tool.add_subcommand("serve", "Serve browsers and curl: HTTP, SSE and WebSocket");
  command->add_option("--listen", options->listen, "where to listen")
      ->type_name("ADDRESS")
      ->allow_extra_args(false)
      ->default_str("127.0.0.1:8380");
  command->add_option("--config", options->config, "settings, keys and rules, in TOML")->type_name("FILE");
  command->add_option("--set", options->settings, "one setting: NAME=VALUE")
      ->type_name("SETTING")
      ->allow_extra_args(false);
  command->add_option("--dsps-prefix", options->dsps_prefix, "where the API of DSPS begins")
      ->type_name("PATH")
      ->default_str("/");
  command->add_flag("--check", options->checks, "only say whether the configuration can be used");
  command->add_flag("--print", options->prints, "print the configuration with all settings, and end");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kServeFooter);
  command->callback([options, &status] { status = run_gateway(*options); });
}

}  // namespace millrace::cli
