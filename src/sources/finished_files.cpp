#include "src/sources/finished_files.hpp"

#include <xxhash.h>

#include <algorithm>

#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

std::uint64_t fold(std::uint64_t hash, const FileEntry& file) {
  const std::string text = file.name + '\n' + std::to_string(file.size);
  return XXH3_64bits_withSeed(text.data(), text.size(), hash);
}

[[noreturn]] void fail(const std::string& what, std::string hint) {
  throw Error(Category::preflight, what, std::move(hint));
}

constexpr const char* restore = "restore the file as it was, or start a new job";

[[noreturn]] void fail_new(const std::string& name, const std::string& behind) {
  fail("file " + name + " is new, but sorts before " + behind +
           ", which was reached already: its rows would be left out",
       "rename it so that it sorts behind the files read before");
}

[[noreturn]] void fail_missing(const std::string& name) {
  fail("file " + name + " was read before and is missing now", "put it back, or start a new job");
}

}  // namespace

void FinishedFiles::add(FileEntry file) {
  recent.push_back(std::move(file));
  if (recent.size() <= max_recent) return;
  folded_hash = fold(folded_hash, recent.front());
  folded_last = std::move(recent.front().name);
  ++folded;
  recent.pop_front();
}

void FinishedFiles::check(std::span<const FileEntry> earlier) const {
  const auto split = folded == 0 ? earlier.begin()
                                 : std::find_if(earlier.begin(), earlier.end(),
                                                [&](const FileEntry& file) { return file.name > folded_last; });
  const auto there = static_cast<std::uint64_t>(split - earlier.begin());
  if (there != folded) {
    fail(std::to_string(folded) + " files up to " + folded_last + " were read before, now there are " +
             std::to_string(there) + ": files were added or removed among them",
         "put back the files of before, and rename new ones so that they sort behind them");
  }
  std::uint64_t hash = 0;
  for (auto file = earlier.begin(); file != split; ++file) hash = fold(hash, *file);
  if (hash != folded_hash) {
    fail("a file among the " + std::to_string(folded) + " up to " + folded_last +
             " that were read before was renamed or has another size now",
         restore);
  }

  auto known = recent.begin();
  for (auto file = split; file != earlier.end(); ++file, ++known) {
    if (known == recent.end()) fail_new(file->name, "the file to go on with");
    if (file->name < known->name) fail_new(file->name, known->name);
    if (known->name < file->name) fail_missing(known->name);
    if (file->size != known->size) {
      fail("file " + file->name + (file->size < known->size ? " has shrunk" : " has grown") + " since it was read: " +
               std::to_string(known->size) + " bytes then, " + std::to_string(file->size) + " now",
           file->size < known->size ? restore : "put new rows into a new file whose name sorts behind it");
    }
  }
  if (known != recent.end()) fail_missing(known->name);
}

}  // namespace xasink::sources
