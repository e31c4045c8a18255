// A checkpointing engine of its own. Kill it at any moment and start it again: every row is there exactly once.
//   sqlite3 shop.db 'CREATE TABLE counted (id INTEGER PRIMARY KEY, note TEXT NOT NULL)'
//   engine sqlite:///path/to/shop.db counted engine.state 100000
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "xasink/drivers.hpp"
#include "xasink/sink.hpp"

namespace fs = std::filesystem;
constexpr std::uint64_t kRowsPerBatch = 1000, kRowsPerCheckpoint = 10'000;

struct State {
  std::string owner = xasink::make_owner();       // once and for all
  std::uint64_t epoch = 0, checkpoint = 0;        // of the last start; the highest id begun
  std::uint64_t position = 0;                     // the next row
  std::vector<xasink::Committable> committables;  // the rows before it, unless committed; committing again is harmless
};

static void require(bool done, const std::string& what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

static State load(const fs::path& file) {
  State state;
  if (!fs::exists(file)) return state;
  std::ifstream in(file, std::ios::binary);
  std::size_t count = 0, size = 0;
  in >> state.owner >> state.epoch >> state.checkpoint >> state.position >> count;
  while (count-- > 0 && in >> size) {
    std::string bytes(size, '\0');
    in.ignore(1).read(bytes.data(), static_cast<std::streamsize>(size));
    state.committables.push_back(xasink::Committable::deserialize(bytes));
  }
  if (!in) throw std::runtime_error(file.string() + " is damaged");  // which is no reason to start from nothing
  return state;
}

// The decision: if we die before, the new branches are rolled back at the next start; after it they are committed.
static void save(const State& state, const fs::path& file) {
  std::string text = state.owner + ' ' + std::to_string(state.epoch) + ' ' + std::to_string(state.checkpoint) + ' ' +
                     std::to_string(state.position) + ' ' + std::to_string(state.committables.size()) + '\n';
  for (const auto& one : state.committables) {
    const std::string bytes = one.serialize();
    text += std::to_string(bytes.size()) + '\n' + bytes;
  }
  const int draft = open((file.string() + ".new").c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  const bool written = write(draft, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  require(written && fsync(draft) == 0 && close(draft) == 0, "write the state");
  fs::rename(file.string() + ".new", file);
  const int folder = open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  require(fsync(folder) == 0 && close(folder) == 0, "write the state");
}

static void run(const std::string& url, const std::string& table, const fs::path& file, std::uint64_t rows) {
  const int lock = open((file.string() + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  require(flock(lock, LOCK_EX | LOCK_NB) == 0, "lock " + file.string());  // one engine at a time; released by the exit
  State state = load(file);
  ++state.epoch, ++state.checkpoint;  // the last start may have begun one more checkpoint: an id is never used twice
  save(state, file);                  // and before anything else: no later start has the same epoch

  xasink::SinkOptions options;
  options.job = "engine", options.owner = state.owner, options.epoch = state.epoch;
  options.url = url, options.table = table, options.columns = {"id", "note"};
  options.spool_directory = file.string() + ".spool";
  const auto sink = xasink::Sink::open(xasink::default_drivers(), options);
  if (!sink->recover(state.committables).clean()) throw std::runtime_error("a decided branch can't be committed");

  const auto writer = sink->create_writer(0, state.checkpoint + 1);
  const auto committer = sink->create_committer();
  for (xasink::RowBatch batch(sink->schema()); state.position < rows; batch.clear()) {
    for (std::uint64_t i = 0; i < kRowsPerBatch && state.position < rows; ++i, ++state.position) {
      batch.append_int(static_cast<std::int64_t>(state.position));
      batch.append_bytes("row " + std::to_string(state.position));
      batch.end_row();
    }
    writer->write(batch);
    if (state.position % kRowsPerCheckpoint != 0 && state.position < rows) continue;
    state.committables = writer->prepare_commit(++state.checkpoint);
    save(state, file);
    for (const auto& result : committer->commit(state.committables)) {
      if (result.answer > xasink::CommitAnswer::already_committed) throw std::runtime_error(result.evidence);
    }
  }
  std::cout << state.position << " rows, epoch " << state.epoch << ", checkpoint " << state.checkpoint << '\n';
}

int main(int argc, char** argv) try {
  if (argc != 5) return std::cerr << "usage: engine URL TABLE STATE_FILE ROWS\n", 2;
  run(argv[1], argv[2], fs::absolute(argv[3]), std::stoull(argv[4]));
} catch (const std::exception& error) {
  return std::cerr << "engine: " << error.what() << '\n', 1;
}
