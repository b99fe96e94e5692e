#include "cli/deliver_command.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.h"
#include "cli/server_options.h"
#include "gateway/config/config_file.h"
#include "gateway/config/webhook_rule.h"
#include "gateway/deliver/deliverer.h"

namespace millrace::cli {
namespace {

struct DeliverOptions {
  ServerOptions server;
  gateway::WebhookRule rule;
  std::string config;
  std::vector<std::string> settings;
  bool checks = false;
};

constexpr const char* kDeliverFooter =
    R"(2xx acknowledges a message. Otherwise it comes again, later each time, until its attempts
are used up or the status is hopeless; then it goes to the dead letters with the reason.
More settings, as names of [[webhook]]: timeout, takeover, back_off, longest_back_off,
hopeless, headers, ca. SIGTERM and Ctrl-C let requests under way come to their end. Start
several for one webhook if you like: in order, one delivers and the others are ready.

Examples:
  millrace deliver --log orders --group shop --url https://shop.example/hooks --secret key
  millrace deliver --channel room --subscriber bot --url http://127.0.0.1/ --allow-private
  millrace deliver --config gateway.toml)";

// Settings that have their own option; the others are set by --set.
constexpr std::string_view kOptions[] = {"log",       "group",        "channel",      "subscriber", "url",
                                         "url_field", "secret",       "in_order",     "from_now",   "at_once",
                                         "attempts",  "dead_letters", "allow_private"};

client::Result<void> set_one(gateway::WebhookRule& rule, const std::string& words) {
  using client::ErrorCode;
  const size_t equal = words.find('=');
  if (equal == words.npos) return client::fail(ErrorCode::BadInput, "--set takes NAME=VALUE, not " + words);
  const std::string name = words.substr(0, equal);
  const gateway::WebhookSetting* const setting = gateway::find_webhook_setting(name);
  if (setting == nullptr) return client::fail(ErrorCode::BadInput, "there is no setting '" + name + "'");
  const auto wrong = gateway::set_from_text(setting->of(rule), std::string_view(words).substr(equal + 1));
  if (wrong) return client::fail(ErrorCode::BadInput, "--set " + name + ": " + *wrong);
  return {};
}

// The webhooks in the file, or the one on the command line.
client::Result<std::vector<gateway::WebhookRule>> webhooks_of(const DeliverOptions& options, std::string& to) {
  using client::ErrorCode;
  gateway::WebhookRule rule = options.rule;
  const bool is_named = !rule.log.empty() || !rule.channel.empty();
  if (options.config.empty()) {
    for (const std::string& words : options.settings) {
      if (auto set = set_one(rule, words); !set) return std::unexpected(set.error());
    }
    if (auto wrong = gateway::wrong_with_webhook(rule)) {
      return client::fail(ErrorCode::BadInput, "the webhook " + *wrong);
    }
    return std::vector{std::move(rule)};
  }
  if (is_named) return client::fail(ErrorCode::BadInput, "--config excludes --log and --channel");
  gateway::Config config;
  if (auto read = gateway::read_config_file(options.config, config); !read) return std::unexpected(read.error());
  if (config.webhooks.empty()) return client::fail(ErrorCode::BadInput, options.config + " has no [[webhook]]");
  to = config.to;
  return std::move(config.webhooks);
}

int run_deliverer(const DeliverOptions& options) {
  const auto refuse = [](const client::Error& why) {
    std::fprintf(stderr, "millrace deliver: %s\n", why.text.c_str());
    return kWrongCall;
  };
  std::string to_of_file;
  const auto webhooks = webhooks_of(options, to_of_file);
  if (!webhooks) return refuse(webhooks.error());
  ServerOptions to = options.server;
  if (to.to.empty() && !to_of_file.empty()) to.to = {to_of_file};
  const auto server = to.connection();
  if (!server) return refuse(server.error());
  if (auto usable = gateway::check_webhooks(*webhooks); !usable) return refuse(usable.error());
  if (options.checks) return kDone;
  const auto done = gateway::deliver(*webhooks, *server, [](const std::string& sentence) {
    std::printf("%s\n", sentence.c_str());
    std::fflush(stdout);
  });
  return done ? kDone : refuse(done.error());
}

void add_webhook_options(CLI::App& command, const std::shared_ptr<DeliverOptions>& options) {
  for (const std::string_view name : kOptions) {
    const gateway::WebhookSetting& setting = *gateway::find_webhook_setting(name);
    std::string flag = "--" + std::string(name);
    std::ranges::replace(flag, '_', '-');
    const auto value = setting.of(options->rule);
    if (auto* const* const is_on = std::get_if<bool*>(&value)) {
      command.add_flag(flag, **is_on, std::string(setting.text));
    } else if (auto* const* const number = std::get_if<unsigned long*>(&value)) {
      command.add_option(flag, **number, std::string(setting.text))->type_name("NUMBER")->capture_default_str();
    } else {
      command.add_option(flag, *std::get<std::string*>(value), std::string(setting.text))->type_name("TEXT");
    }
  }
}

}  // namespace

void add_deliver_command(CLI::App& tool, int& status) {
  auto options = std::make_shared<DeliverOptions>();
  CLI::App* command = tool.add_subcommand("deliver", "Deliver messages as HTTP requests: webhooks");
  add_webhook_options(*command, options);
  command->add_option("--set", options->settings, "one more setting: NAME=VALUE")
      ->type_name("SETTING")
      ->allow_extra_args(false);
  command->add_option("--config", options->config, "instead: the webhooks of a gateway's configuration")
      ->type_name("FILE");
  command->add_flag("--check", options->checks, "only say whether it could begin");
  options->server.add_to(*command, "the server: host:port, redis://, rediss://, ... (millrace --help)");
  command->footer(kDeliverFooter);
  command->callback([options, &status] { status = run_deliverer(*options); });
}

}  // namespace millrace::cli
