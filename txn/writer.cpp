#include "txn/writer.hpp"

#include <utility>

#include "txn/branch_state.hpp"
#include "txn/fault.hpp"
#include "xasink/error.hpp"

namespace xasink::txn {
namespace {

class BranchingWriter final : public SinkWriter {
 public:
  BranchingWriter(std::shared_ptr<Resource> resource, std::shared_ptr<const TableSchema> schema, WriterIdentity identity,
                  std::uint64_t next_checkpoint, const BranchBounds& bounds)
      : resource_(std::move(resource)),
        schema_(std::move(schema)),
        identity_(std::move(identity)),
        bounds_(bounds),
        checkpoint_(next_checkpoint),
        branch_(resource_->open_writer()) {}

  ~BranchingWriter() override {
    if (open()) branch_->rollback();
  }

  void write(const RowBatch& batch) override {
    require_sound();
    if (batch.empty()) return;
    if (batch.shared_schema() != schema_ && !(batch.schema() == *schema_)) {
      throw Error(Category::usage, "the rows' columns are not those the sink of " + schema_->table + " was opened with");
    }
    // Anything that throws from here on leaves a branch that must not be prepared.
    poisoned_ = true;
    if (open() && (marker_.rows + batch.rows() > bounds_.max_rows || marker_.bytes + batch.bytes() > bounds_.max_bytes)) {
      prepare_branch();
    }
    if (!open()) begin_branch();
    life_.check(BranchCall::write, gid_);
    branch_->write(batch);
    marker_.rows += batch.rows();
    marker_.bytes += batch.bytes();
    poisoned_ = false;
  }

  std::vector<Committable> prepare_commit(std::uint64_t checkpoint) override {
    require_sound();
    if (checkpoint < checkpoint_) {
      throw Error(Category::usage, "checkpoint " + std::to_string(checkpoint) + " is over: this writer expects " +
                                       std::to_string(checkpoint_) + " or a later one");
    }
    poisoned_ = true;
    if (open()) prepare_branch();
    poisoned_ = false;
    checkpoint_ = checkpoint + 1;
    part_ = 0;
    return std::exchange(prepared_, {});
  }

  std::vector<Committable> snapshot_state() const override { return prepared_; }

  void abort() noexcept override {
    branch_->rollback();
    life_ = BranchLife();
    poisoned_ = true;
    aborted_ = true;
    if (prepared_.empty()) return;
    try {
      const auto finisher = resource_->open_finisher();
      while (!prepared_.empty()) {
        static_cast<void>(finisher->rollback(prepared_.back().xid));
        prepared_.pop_back();
      }
    } catch (const std::exception&) {
      // Unreachable: what is left is an orphan, and recovery rolls back orphans.
    }
  }

  void interrupt() noexcept override { branch_->interrupt(); }

 private:
  [[nodiscard]] bool open() const noexcept { return life_.state() == BranchState::open; }

  void require_sound() const {
    if (!poisoned_) return;
    throw Error(Category::usage, std::string("writer ") + std::to_string(identity_.index) + " of " + schema_->table +
                                     (aborted_ ? " was aborted" : " had an error: nothing may be prepared after it"),
                "make a new writer after recovery");
  }

  void begin_branch() {
    life_ = BranchLife();
    marker_ = Marker{Xid{identity_.job, identity_.owner, identity_.epoch, identity_.index, checkpoint_, part_++}, 0, 0};
    gid_ = marker_.xid.gid();
    life_.check(BranchCall::begin, gid_);
    branch_->begin(marker_.xid);
    life_.apply(BranchCall::begin, gid_);
  }

  void prepare_branch() {
    life_.check(BranchCall::prepare, gid_);
    XASINK_FAULT_POINT("writer.prepare.before");
    branch_->prepare(marker_);
    life_.apply(BranchCall::prepare, gid_);
    prepared_.push_back(Committable{resource_->protocol(), resource_->name(), schema_->table, marker_.xid, marker_.rows,
                                    marker_.bytes, branch_->spool()});
    XASINK_FAULT_POINT("writer.prepare.after");
  }

  std::shared_ptr<Resource> resource_;
  std::shared_ptr<const TableSchema> schema_;
  WriterIdentity identity_;
  BranchBounds bounds_;
  std::uint64_t checkpoint_;  // the one the open branch belongs to
  std::uint32_t part_ = 0;    // of the next branch in it
  std::unique_ptr<BranchWriter> branch_;
  BranchLife life_;
  Marker marker_;    // of the open branch
  std::string gid_;  // of the open branch
  std::vector<Committable> prepared_;
  bool poisoned_ = false;
  bool aborted_ = false;
};

}  // namespace

std::unique_ptr<SinkWriter> make_writer(std::shared_ptr<Resource> resource, std::shared_ptr<const TableSchema> schema,
                                        WriterIdentity identity, std::uint64_t next_checkpoint, const BranchBounds& bounds) {
  return std::make_unique<BranchingWriter>(std::move(resource), std::move(schema), std::move(identity), next_checkpoint, bounds);
}

}  // namespace xasink::txn
