// One connection to PostgreSQL as the protocol sees it.
#pragma once

#include "drivers/postgresql/bulk_writer.hpp"
#include "drivers/postgresql/connection.hpp"
#include "xasink/driver.hpp"

namespace xasink::postgresql {

class PostgresqlSession final : public Session {
 public:
  /// \throws as Connection::open
  explicit PostgresqlSession(const Conninfo& info);

  void begin(const Xid& xid) override;
  void write(const RowBatch& batch) override;
  [[nodiscard]] bool write_marker(const Marker& marker) override;
  [[nodiscard]] std::string prepare() override;
  void commit() override;
  void rollback() noexcept override;
  void interrupt() noexcept override { connection_.shut_down(); }
  void limit_silence(std::chrono::milliseconds limit) noexcept override { connection_.limit_silence(limit); }

  [[nodiscard]] FinishResult commit_prepared(const Xid& xid) override;
  [[nodiscard]] FinishResult rollback_prepared(const Xid& xid) override;
  [[nodiscard]] std::vector<PreparedTransaction> list_prepared() override;
  [[nodiscard]] bool marker_present(const Xid& xid) override;
  [[nodiscard]] std::uint64_t newest_marker(std::string_view owner) override;

  void ensure_bookkeeping() override;
  [[nodiscard]] std::uint64_t raise_epoch(std::string_view job, std::string_view owner, std::uint64_t epoch) override;
  std::uint64_t prune_markers(std::string_view owner, std::uint64_t through) override;

  [[nodiscard]] bool usable() const noexcept override;

 private:
  enum class Branch : std::uint8_t {
    none,
    open,      // rows may come
    marked,    // complete: the marker is in, no more rows
    poisoned,  // an error happened inside: only rollback
  };
  static std::string_view in_words(Branch branch) noexcept;

  void require(Branch wanted, std::string_view call) const;
  template <typename Step>
  auto in_branch(Step step);
  FinishResult finish(std::string_view verb, const Xid& xid);

  Connection connection_;
  BulkWriter bulk_;
  Branch branch_ = Branch::none;
  Xid xid_;              // of the branch that is not none
  bool broken_ = false;  // a rollback failed: what the server has open is unknown
};

}  // namespace xasink::postgresql
