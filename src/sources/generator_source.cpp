#include "src/sources/generator_source.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "src/sources/generated_value.hpp"
#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

using std::chrono::steady_clock;

constexpr std::size_t enough_arena = std::size_t{1} << 20;
constexpr std::uint64_t rows_between_clocks = 1024;
constexpr int version = 1;
/// Shorter waits would make tiny batches and wake up for each.
constexpr std::chrono::milliseconds shortest_wait{1};

}  // namespace

GeneratorSource::GeneratorSource(const config::GeneratorConfig& config) : config_(config) {
  if (config_.rows_per_second && !(std::isfinite(*config_.rows_per_second) && *config_.rows_per_second > 0)) {
    throw Error(Category::configuration, "the generator's rows_per_second must be a positive number",
                "correct source.rows_per_second");
  }
}

void GeneratorSource::bind(std::shared_ptr<const TableSchema> schema) {
  schema_ = std::move(schema);
  pace_start_.reset();
}

ReadResult GeneratorSource::read(RowBatch& batch, std::size_t max_rows, steady_clock::time_point deadline) {
  if (!schema_) throw Error(Category::usage, "a source must be bound to columns before it is read");
  std::uint64_t wanted = std::max<std::size_t>(max_rows, 1);
  if (config_.rows) {
    if (row_ >= *config_.rows) return ReadResult::end;
    wanted = std::min(wanted, *config_.rows - row_);
  }
  if (config_.rows_per_second) wanted = await_due(wanted, deadline);
  if (wanted == 0) return ReadResult::idle;

  try {
    for (std::uint64_t n = 1; n <= wanted; ++n) {
      append_generated_row(batch, config_.seed, row_);
      ++row_;
      if (batch.arena().size() >= enough_arena) break;
      if (n % rows_between_clocks == 0 && steady_clock::now() >= deadline) break;
    }
  } catch (...) {
    batch.drop_row();
    throw;
  }
  return ReadResult::rows;
}

/// Waits until at least one row is due. \returns how many of `wanted` are, 0 if the deadline passes first
std::uint64_t GeneratorSource::await_due(std::uint64_t wanted, steady_clock::time_point deadline) {
  auto now = steady_clock::now();
  if (!pace_start_) {
    pace_start_ = now;
    paced_from_ = row_;
  }
  if (due(row_ + wanted - 1) > now) {
    std::this_thread::sleep_until(std::min(deadline, std::max(due(row_), now + shortest_wait)));
    now = steady_clock::now();
  }
  if (due(row_) > now) return 0;
  const double seconds = std::chrono::duration<double>(now - *pace_start_).count();
  const auto due_rows = static_cast<std::uint64_t>(seconds * *config_.rows_per_second) + 1 + paced_from_;
  return std::clamp<std::uint64_t>(due_rows > row_ ? due_rows - row_ : 1, 1, wanted);
}

steady_clock::time_point GeneratorSource::due(std::uint64_t row) const {
  // Bounded, so that a tiny rate doesn't pass the clock's range.
  const double seconds = std::min(static_cast<double>(row - paced_from_) / *config_.rows_per_second, 1e9);
  return *pace_start_ + std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
}

std::string GeneratorSource::position() const {
  return nlohmann::json{{"source", "generator"}, {"version", version}, {"seed", config_.seed}, {"row", row_}}.dump();
}

void GeneratorSource::seek(const std::string& text) {
  std::uint64_t seed = 0;
  std::uint64_t row = 0;
  try {
    const auto position = nlohmann::json::parse(text);
    if (position.at("source") != "generator" || position.at("version") != version) {
      throw std::invalid_argument("of another source or version");
    }
    seed = position.at("seed").get<std::uint64_t>();
    row = position.at("row").get<std::uint64_t>();
  } catch (const std::exception& error) {
    throw Error(Category::corrupt,
                std::string("the log's source position is no position in generated rows: ") + error.what(),
                "does the job file name another source than the job was begun with?");
  }
  if (seed != config_.seed) {
    throw Error(Category::preflight,
                "the rows loaded so far were generated with seed " + std::to_string(seed) + ", the job file has seed " +
                    std::to_string(config_.seed),
                "set the seed back, or start a new job");
  }
  row_ = row;
  pace_start_.reset();
}

std::optional<Source::Progress> GeneratorSource::progress() const noexcept {
  return Progress{row_, config_.rows.value_or(0)};
}

}  // namespace xasink::sources
