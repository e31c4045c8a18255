// From a job's `source:` to the source that reads it.
#pragma once

#include <memory>

#include "config/job_config.hpp"
#include "src/sources/source.hpp"

namespace xasink::sources {

/// Opens nothing yet: files are looked for by bind(). \throws Error (configuration) if the options contradict each
/// other
[[nodiscard]] std::unique_ptr<Source> make_source(const config::SourceConfig& config);

}  // namespace xasink::sources
