// The place a file source has reached, and its text form.
#pragma once

#include <cstdint>
#include <string>

#include "src/sources/finished_files.hpp"
#include "src/sources/input_file.hpp"

namespace xasink::sources {

struct FilePosition {
  FinishedFiles finished;
  std::string file;          ///< the file being read; empty: none has been begun since the last finished one
  std::uint64_t offset = 0;  ///< of the next record in its content, after decompression
  std::uint64_t line = 1;    ///< of the next record
  Fingerprint read;          ///< of the raw bytes read so far: up to `offset`, or all that a gzip file had then

  /// One line of JSON of bounded size.
  [[nodiscard]] std::string to_json() const;
  /// \throws Error (corrupt) if the text is no position of a file source that this build understands
  [[nodiscard]] static FilePosition from_json(const std::string& text);
};

}  // namespace xasink::sources
