#include "txn/prepared/prepared_resource.hpp"

#include <functional>
#include <mutex>
#include <utility>

#include "txn/fault.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

using Connect = std::function<std::unique_ptr<Session>()>;

class PreparedWriter final : public BranchWriter {
 public:
  PreparedWriter(Connect connect, bool session_per_branch)
      : connect_(std::move(connect)), session_per_branch_(session_per_branch) {}

  void begin(const Xid& xid) override {
    if (!session_ || !session_->usable()) replace_session(connect_());
    XASINK_FAULT_POINT("prepared.begin.before");
    session_->begin(xid);
    XASINK_FAULT_POINT("prepared.begin.after");
  }

  void write(const RowBatch& batch) override {
    XASINK_FAULT_POINT("prepared.write.before");
    session_->write(batch);
    XASINK_FAULT_POINT("prepared.write.after");
  }

  void prepare(const Marker& marker) override {
    XASINK_FAULT_POINT("prepared.marker.before");
    if (!session_->write_marker(marker)) {
      throw Error(Category::internal, "branch " + marker.xid.gid() + " has a marker before it was ever committed");
    }
    XASINK_FAULT_POINT("prepared.prepare.before");
    static_cast<void>(session_->prepare());  // throws unless the server gave its evidence
    XASINK_FAULT_POINT("prepared.prepare.after");
    // There the branch stays when its session ends, but the session takes no new work before the branch is finished.
    if (session_per_branch_) replace_session(nullptr);
  }

  void rollback() noexcept override {
    if (session_) session_->rollback();
  }

  void interrupt() noexcept override {
    const std::lock_guard guard(mutex_);
    interrupted_ = true;
    if (session_) session_->interrupt();
  }

 private:
  void replace_session(std::unique_ptr<Session> session) {
    {
      const std::lock_guard guard(mutex_);
      session_.swap(session);
      if (!interrupted_) return;
    }
    throw Error(Category::connection, "the writer was interrupted");
  }

  Connect connect_;
  bool session_per_branch_;
  std::mutex mutex_;  // between interrupt() and the exchange of the session; the writer's own thread only reads without it
  bool interrupted_ = false;
  std::unique_ptr<Session> session_;
};

class PreparedFinisher final : public BranchFinisher {
 public:
  explicit PreparedFinisher(std::unique_ptr<Session> session) : session_(std::move(session)) {}

  FinishResult commit(const Committable& committable) override {
    XASINK_FAULT_POINT("prepared.commit.before");
    FinishResult result = session_->commit_prepared(committable.xid);
    XASINK_FAULT_POINT("prepared.commit.after");
    return result;
  }

  FinishResult rollback(const Xid& xid) override {
    XASINK_FAULT_POINT("prepared.rollback.before");
    FinishResult result = session_->rollback_prepared(xid);
    XASINK_FAULT_POINT("prepared.rollback.after");
    return result;
  }

  std::vector<PreparedTransaction> list() override { return session_->list_prepared(); }
  bool marker_present(const Xid& xid) override { return session_->marker_present(xid); }
  std::uint64_t newest_marker(std::string_view owner) override {
    session_->ensure_bookkeeping();
    return session_->newest_marker(owner);
  }
  std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) override {
    session_->ensure_bookkeeping();
    return session_->raise_epoch(job, owner, epoch);
  }
  std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) override {
    return session_->prune_markers(owner, through);
  }
  // The server forgets a branch that was not prepared with its session.
  std::size_t discard_unprepared(std::string_view, std::string_view, std::uint64_t) override { return 0; }

 private:
  std::unique_ptr<Session> session_;
};

class PreparedResource final : public Resource {
 public:
  PreparedResource(const Driver& driver, std::string url, Capabilities capabilities, std::chrono::milliseconds silence)
      : driver_(driver),
        url_(std::move(url)),
        name_(driver.resource_name(url_)),
        capabilities_(std::move(capabilities)),
        silence_(silence) {}

  Protocol protocol() const noexcept override { return Protocol::prepared; }
  const std::string& name() const noexcept override { return name_; }
  std::unique_ptr<BranchWriter> open_writer() override {
    return std::make_unique<PreparedWriter>([this] { return connect(); }, capabilities_.session_per_branch);
  }
  std::unique_ptr<BranchFinisher> open_finisher() override {
    return std::make_unique<PreparedFinisher>(connect());
  }

 private:
  std::unique_ptr<Session> connect() const {
    auto session = driver_.connect(url_);
    session->limit_silence(silence_);
    return session;
  }

  const Driver& driver_;
  std::string url_;
  std::string name_;
  Capabilities capabilities_;
  std::chrono::milliseconds silence_;
};

}  // namespace

std::unique_ptr<Resource> make_prepared_resource(const Driver& driver, std::string url, Capabilities capabilities,
                                                 std::chrono::milliseconds silence) {
  return std::make_unique<PreparedResource>(driver, std::move(url), std::move(capabilities), silence);
}

}  // namespace xasink::txn
