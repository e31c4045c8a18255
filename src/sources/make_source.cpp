#include "src/sources/make_source.hpp"

#include "src/sources/file_source.hpp"
#include "src/sources/generator_source.hpp"

namespace xasink::sources {

namespace {

struct Maker {
  std::unique_ptr<Source> operator()(const config::FileSourceConfig& config) const {
    return std::make_unique<FileSource>(config);
  }
  std::unique_ptr<Source> operator()(const config::GeneratorConfig& config) const {
    return std::make_unique<GeneratorSource>(config);
  }
};

}  // namespace

std::unique_ptr<Source> make_source(const config::SourceConfig& config) { return std::visit(Maker{}, config); }

}  // namespace xasink::sources
