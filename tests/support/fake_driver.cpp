#include "tests/support/fake_driver.hpp"

#include <algorithm>
#include <utility>

#include "schema/format_value.hpp"

namespace xasink::test {
namespace {

Error usage(const std::string& what, const Xid& xid) {
  ErrorDetails details;
  details.category = Category::usage;
  details.session_usable = true;
  details.xid = xid.gid();
  return {what, std::move(details)};
}

}  // namespace

Error lost_connection() {
  ErrorDetails details;
  details.category = Category::connection;
  details.retryable = true;
  return {"the connection was lost", std::move(details)};
}

// --- FakeServer
// ----------------------------------------------------------------------------------------------------------

void FakeServer::fail(FakeVerb verb, unsigned nth, Error error, When when) {
  const std::lock_guard lock(mutex_);
  faults_.push_back({verb, nth, when, std::move(error)});
}

void FakeServer::hold(const Xid& xid) {
  const std::lock_guard lock(mutex_);
  prepared_.at(xid.gid()).held = true;
}

void FakeServer::release(const Xid& xid) {
  const std::lock_guard lock(mutex_);
  prepared_.at(xid.gid()).held = false;
}

bool FakeServer::lose(const Xid& xid) {
  const std::lock_guard lock(mutex_);
  return prepared_.erase(xid.gid()) == 1;
}

void FakeServer::drop_sessions() {
  const std::lock_guard lock(mutex_);
  ++generation_;
}

void FakeServer::set_capabilities(Capabilities capabilities) {
  const std::lock_guard lock(mutex_);
  capabilities_ = std::move(capabilities);
}

void FakeServer::add_foreign(PreparedTransaction transaction) {
  const std::lock_guard lock(mutex_);
  foreign_.push_back(std::move(transaction));
}

unsigned FakeServer::calls(FakeVerb verb) const {
  const std::lock_guard lock(mutex_);
  return calls_[static_cast<std::size_t>(verb)];
}

std::vector<FakeRow> FakeServer::rows(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  return found == tables_.end() ? std::vector<FakeRow>() : found->second.rows;
}

std::vector<std::string> FakeServer::prepared_gids() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> gids;
  for (const auto& [gid, branch] : prepared_) gids.push_back(gid);
  return gids;
}

bool FakeServer::has_marker(const Xid& xid) const {
  const std::lock_guard lock(mutex_);
  return markers_.contains(xid.gid());
}

void FakeServer::add_table(const TableSchema& schema) {
  const std::lock_guard lock(mutex_);
  tables_.try_emplace(schema.table, Table{schema, {}});
}

std::optional<Error> FakeServer::enter(FakeVerb verb) {
  ++calls_[static_cast<std::size_t>(verb)];
  std::optional<Fault> due;
  for (auto fault = faults_.begin(); fault != faults_.end();) {
    if (fault->verb == verb && --fault->left == 0) {
      due = *fault;
      fault = faults_.erase(fault);
    } else {
      ++fault;
    }
  }
  if (!due) return std::nullopt;
  if (due->when == When::before) throw due->error;
  return due->error;
}

void FakeServer::apply(const Branch& branch) {
  if (!branch.table.empty()) {
    auto& rows = tables_.at(branch.table).rows;
    rows.insert(rows.end(), branch.rows.begin(), branch.rows.end());
  }
  if (branch.marker) markers_.emplace(branch.marker->xid.gid(), *branch.marker);
}

// --- FakeSession
// ---------------------------------------------------------------------------------------------------------

class FakeSession final : public Session {
 public:
  FakeSession(FakeServer& server, std::uint64_t generation) : server_(server), generation_(generation) {}

  void begin(const Xid& xid) override {
    call(FakeVerb::begin, [&] {
      if (branch_) throw usage("begin: a branch is open", xid);
      if (server_.prepared_.contains(xid.gid())) throw usage("begin: the name is in use", xid);
      branch_.emplace();
      branch_->xid = xid;
      poisoned_ = false;
    });
  }

  void write(const RowBatch& batch) override {
    call(FakeVerb::write, [&] {
      require_open("write");
      const TableSchema& schema = batch.schema();
      if (!server_.tables_.contains(schema.table)) {
        throw Error(Category::preflight, "there is no table " + schema.table);
      }
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        FakeRow values;
        for (std::size_t column = 0; column < batch.columns(); ++column) {
          const Cell& cell = batch.row(row)[column];
          if (cell.null == 0) {
            schema::append_value(values.emplace_back().emplace(), batch, schema.columns[column].type, cell);
            continue;
          }
          if (!schema.columns[column].nullable) refuse_null(batch, row, column);
          values.emplace_back();
        }
        branch_->rows.push_back(std::move(values));
      }
      branch_->table = schema.table;
    });
  }

  bool write_marker(const Marker& marker) override {
    return call(FakeVerb::write_marker, [&] {
      require_open("write_marker");
      if (marker.xid != branch_->xid || marker.rows != branch_->rows.size()) {
        throw Error(Category::internal, "the marker does not fit the branch " + branch_->xid.gid());
      }
      if (server_.markers_.contains(marker.xid.gid())) {
        poisoned_ = true;
        return false;
      }
      branch_->marker = marker;
      return true;
    });
  }

  std::string prepare() override {
    return call(FakeVerb::prepare, [&] {
      require_marked("prepare");
      branch_->prepared_at = std::chrono::system_clock::now();
      server_.prepared_.emplace(branch_->xid.gid(), std::move(*branch_));
      branch_.reset();
      return std::string("PREPARED");
    });
  }

  void commit() override {
    call(FakeVerb::commit, [&] {
      require_marked("commit");
      server_.apply(*branch_);
      branch_.reset();
    });
  }

  void rollback() noexcept override { branch_.reset(); }

  FinishResult commit_prepared(const Xid& xid) override {
    return call(FakeVerb::commit_prepared, [&] {
      return finish(
          xid, [&](const FakeServer::Branch& branch) { server_.apply(branch); }, "COMMITTED");
    });
  }

  FinishResult rollback_prepared(const Xid& xid) override {
    return call(FakeVerb::rollback_prepared, [&] {
      return finish(
          xid, [](const FakeServer::Branch&) {}, "ROLLED BACK");
    });
  }

  std::vector<PreparedTransaction> list_prepared() override {
    return call(FakeVerb::list_prepared, [&] {
      std::vector<PreparedTransaction> all = server_.foreign_;
      for (const auto& [gid, branch] : server_.prepared_) {
        all.push_back({gid, branch.xid, "tester", "fake", branch.prepared_at, true});
      }
      return all;
    });
  }

  bool marker_present(const Xid& xid) override {
    return call(FakeVerb::marker_present, [&] {
      require_idle("marker_present");
      return server_.markers_.contains(xid.gid());
    });
  }

  std::uint64_t newest_marker(std::string_view owner) override {
    return call(FakeVerb::newest_marker, [&] {
      require_idle("newest_marker");
      std::uint64_t newest = 0;
      for (const auto& [gid, marker] : server_.markers_) {
        if (marker.xid.owner == owner) newest = std::max(newest, marker.xid.checkpoint);
      }
      return newest;
    });
  }

  void ensure_bookkeeping() override {
    call(FakeVerb::ensure_bookkeeping, [&] { require_idle("ensure_bookkeeping"); });
  }

  std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) override {
    return call(FakeVerb::raise_epoch, [&] {
      require_idle("raise_epoch");
      std::uint64_t& highest = server_.epochs_[std::string(job) + "/" + std::string(owner)];
      highest = std::max(highest, epoch);
      return highest;
    });
  }

  std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) override {
    return call(FakeVerb::prune_markers, [&] {
      require_idle("prune_markers");
      return std::uint64_t{std::erase_if(server_.markers_, [&](const auto& entry) {
        return entry.second.xid.owner == owner && entry.second.xid.checkpoint <= through;
      })};
    });
  }

  bool usable() const noexcept override { return usable_; }

 private:
  /// One call of the server: counted, failed as scripted; an error poisons the branch, and the session as it says.
  template <typename Verb>
  auto call(FakeVerb verb, Verb body) -> decltype(body()) {
    const std::lock_guard lock(server_.mutex_);
    try {
      if (generation_ != server_.generation_ || !usable_) throw lost_connection();
      const auto lost_answer = server_.enter(verb);
      if constexpr (std::is_void_v<decltype(body())>) {
        body();
        if (lost_answer) throw *lost_answer;
      } else {
        auto result = body();
        if (lost_answer) throw *lost_answer;
        return result;
      }
    } catch (const Error& error) {
      poisoned_ = true;
      if (!error.details().session_usable) {
        usable_ = false;
        branch_.reset();
      }
      throw;
    }
  }

  void require_open(const char* verb) const {
    if (!branch_) throw usage(std::string(verb) + ": there is no open branch", {});
    if (poisoned_) throw usage(std::string(verb) + ": the branch failed and can only be rolled back", branch_->xid);
    if (branch_->marker) throw usage(std::string(verb) + ": the branch has its marker already", branch_->xid);
  }
  void require_marked(const char* verb) const {
    if (!branch_) throw usage(std::string(verb) + ": there is no open branch", {});
    if (poisoned_) throw usage(std::string(verb) + ": the branch failed and can only be rolled back", branch_->xid);
    if (!branch_->marker) throw usage(std::string(verb) + ": the branch has no marker yet", branch_->xid);
  }
  void require_idle(const char* verb) const {
    if (branch_) throw usage(std::string(verb) + ": a branch is open", branch_->xid);
  }

  [[noreturn]] static void refuse_null(const RowBatch& batch, std::size_t row, std::size_t column) {
    ErrorDetails details;
    details.category = Category::data;
    details.session_usable = true;
    DataError::Origin origin;
    if (batch.file() != nullptr) origin.file = *batch.file();
    origin.line = batch.line(row);
    origin.column = batch.schema().columns[column].name;
    const std::string message =
        origin.file + ":" + std::to_string(origin.line) + ": column " + origin.column + " is NOT NULL";
    throw DataError(message, std::move(details), std::move(origin));
  }

  template <typename Act>
  FinishResult finish(const Xid& xid, Act act, const char* tag) {
    require_idle(tag);
    const auto found = server_.prepared_.find(xid.gid());
    if (found == server_.prepared_.end()) return {FinishOutcome::not_found, "no such branch"};
    if (found->second.held) return {FinishOutcome::held, "another session has it"};
    act(found->second);
    server_.prepared_.erase(found);
    return {FinishOutcome::done, tag};
  }

  FakeServer& server_;
  std::uint64_t generation_;
  std::optional<FakeServer::Branch> branch_;
  bool poisoned_ = false;
  bool usable_ = true;
};

// --- FakeCatalog, FakeDriver
// -----------------------------------------------------------------------------------------------

class FakeCatalog final : public Catalog {
 public:
  explicit FakeCatalog(FakeServer& server) : server_(server) {}

  Capabilities capabilities() override {
    const std::lock_guard lock(server_.mutex_);
    return server_.capabilities_;
  }
  std::optional<TableSchema> describe(const std::string& table) override {
    const std::lock_guard lock(server_.mutex_);
    const auto found = server_.tables_.find(table);
    if (found == server_.tables_.end()) return std::nullopt;
    return found->second.schema;
  }
  void create_table(const TableSchema& schema, const std::vector<std::string>& /*primary_key*/) override {
    server_.add_table(schema);
  }

 private:
  FakeServer& server_;
};

FakeServer& FakeDriver::server(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  auto& server = servers_[name];
  if (server == nullptr) server = std::make_unique<FakeServer>();
  return *server;
}

std::string FakeDriver::resource_name(const std::string& url) const {
  if (!accepts(url)) throw Error(Category::configuration, url + " is no fake: URL");
  return url;
}

std::unique_ptr<Session> FakeDriver::connect(const std::string& url) const {
  FakeServer& there = server(resource_name(url).substr(5));
  const std::lock_guard lock(there.mutex_);
  if (const auto lost_answer = there.enter(FakeVerb::connect)) throw *lost_answer;
  return std::make_unique<FakeSession>(there, there.generation_);
}

std::unique_ptr<Catalog> FakeDriver::open_catalog(const std::string& url) const {
  return std::make_unique<FakeCatalog>(server(resource_name(url).substr(5)));
}

}  // namespace xasink::test
