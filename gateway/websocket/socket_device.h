// A device of a routing table that is connected by a WebSocket. It gets changes from the log of this gateway's
// transport. Changes from the time when it was disconnected, or connected elsewhere, are read first, from the logs of
// its earlier gateways.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/json/json_object.h"
#include "gateway/routes/services.h"
#include "gateway/stream/topic.h"
#include "gateway/websocket/device_trail.h"
#include "gateway/websocket/socket_follow.h"

namespace millrace::gateway {

class SocketDevice final : public Listener, public std::enable_shared_from_this<SocketDevice> {
 public:
  // REQUIRES: `socket` exists until forget(), `services` as long as the loop.
  SocketDevice(FollowingSocket& socket, Services& services, std::string table, std::string device);

  // Each is the rest of an answer: "ok":true,… or "error":{…}.
  // Moves the device here with its subscriptions, wherever it is; or creates it.
  Task<std::string> open(std::optional<std::string> user, std::optional<std::string> cursor);
  Task<std::string> subscribe(JsonObject request);
  Task<std::string> unsubscribe(JsonObject request);
  // Ends the device and its subscriptions.
  Task<std::string> leave();

  // Called after a successful open() was answered: sends missed changes, then new ones.
  void begin();
  // The socket has room again.
  void resume();
  // The socket is closed. The device stays for a while, so that the client can reconnect.
  void forget();

 private:
  enum class Presence { Known, New, Unavailable };

  void deliver(Batch& batch, size_t first) override;
  void tell_reset(const Reset& reset) override;
  void tell_position(const Position&) override {}
  bool is_full() const override { return socket_ == nullptr || socket_->is_full(); }
  void fail(const std::string& why) override;

  Task<Presence> take_here(DeviceCursor here);
  Task<bool> is_at(std::string transport);
  Task<bool> save_trail();
  Task<bool> make(std::optional<std::string> user);
  Detached read_parts();
  Detached keep();
  void send_changes(const std::string& transport, Batch& batch, size_t first);
  void send_reset(const std::string& transport, const std::string& missing, const Position& position);
  std::string name_at(const std::string& transport) const { return device_ + '|' + transport; }
  TopicKey log_of(const std::string& transport) const { return {TopicKey::Kind::Log, table_ + ':' + transport}; }
  std::string trail_key() const { return table_ + ":device:" + device_; }
  std::string retention() const;

  FollowingSocket* socket_;
  Services& services_;
  const std::string table_;
  const std::string device_;
  const std::string transport_;
  DeviceTrail trail_;
  std::vector<TrailPart> parts_;  // parts to read; the last one is then followed
  std::optional<Reset> missing_;  // to be sent first
  Topic* topic_ = nullptr;        // once it is followed
  bool has_begun_ = false;
  bool is_reading_ = false;  // missed changes are being read
  EventLoop::Timer keep_;
};

}  // namespace millrace::gateway
