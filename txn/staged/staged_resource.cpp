#include "txn/staged/staged_resource.hpp"

#include <utility>

#include "txn/staged/spool_folder.hpp"
#include "txn/staged/staged_finisher.hpp"
#include "txn/staged/staged_writer.hpp"

namespace xasink::txn {
namespace staged {
namespace {

class StagedResource final : public Resource {
 public:
  StagedResource(const Driver& driver, std::string url, const std::filesystem::path& spool,
                 std::chrono::milliseconds silence)
      : driver_(driver), url_(std::move(url)), name_(driver.resource_name(url_)), folder_(spool), silence_(silence) {}

  [[nodiscard]] Protocol protocol() const noexcept override { return Protocol::staged; }
  [[nodiscard]] const std::string& name() const noexcept override { return name_; }
  [[nodiscard]] std::unique_ptr<BranchWriter> open_writer() override {
    return std::make_unique<StagedWriter>(driver_, url_, name_, folder_);
  }
  [[nodiscard]] std::unique_ptr<BranchFinisher> open_finisher() override {
    auto session = driver_.connect(url_);
    session->limit_silence(silence_);
    return std::make_unique<StagedFinisher>(std::move(session), name_, folder_);
  }

 private:
  const Driver& driver_;
  std::string url_;
  std::string name_;
  SpoolFolder folder_;
  std::chrono::milliseconds silence_;
};

}  // namespace
}  // namespace staged

std::unique_ptr<Resource> make_staged_resource(const Driver& driver, std::string url,
                                               const std::filesystem::path& spool, std::chrono::milliseconds silence) {
  return std::make_unique<staged::StagedResource>(driver, std::move(url), spool, silence);
}

}  // namespace xasink::txn
