#include "src/telemetry/progress_meter.hpp"

#include <cmath>

namespace xasink::telemetry {
namespace {

using std::chrono::duration;

constexpr std::chrono::seconds kWindow{5};
constexpr duration<double> kShortest{0.2};  // rates over less say nothing
constexpr double kLongestLeft = 365.0 * 86'400;

}  // namespace

ProgressFigures ProgressMeter::update(TimePoint now, const job::JobProgress& progress) {
  const Sample latest{now, progress.rows_read, progress.source ? progress.source->done : 0};
  // The job went back to its last decision: what was seen before says nothing about the speed from here on.
  if (!samples_.empty() && (latest.source < samples_.back().source || latest.rows < samples_.back().rows))
    samples_.clear();
  samples_.push_back(latest);
  while (samples_.size() > 2 && now - samples_[1].at >= kWindow) samples_.pop_front();

  ProgressFigures figures;
  figures.rows_read = progress.rows_read;
  figures.rows_committed = progress.rows_committed;
  figures.checkpoint = progress.checkpoint;
  figures.in_flight = progress.in_flight;
  const bool bounded = progress.source && progress.source->total > 0;
  if (bounded) {
    figures.share = static_cast<double>(progress.source->done) / static_cast<double>(progress.source->total);
  }
  const Sample& oldest = samples_.front();
  const duration<double> time = now - oldest.at;
  if (time < kShortest) return figures;
  figures.rows_per_second = static_cast<double>(latest.rows - oldest.rows) / time.count();
  if (bounded && latest.source > oldest.source && progress.source->total >= latest.source) {
    const double speed = static_cast<double>(latest.source - oldest.source) / time.count();
    const double left = static_cast<double>(progress.source->total - latest.source) / speed;
    if (left < kLongestLeft) figures.left = std::chrono::seconds(static_cast<std::int64_t>(std::ceil(left)));
  }
  return figures;
}

}  // namespace xasink::telemetry
