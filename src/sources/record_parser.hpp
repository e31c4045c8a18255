// What a file format is to the file source: something that turns pieces of a file into rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "src/sources/line_reader.hpp"
#include "src/sources/refuse.hpp"
#include "xasink/row_batch.hpp"

namespace xasink::sources {

/// What a piece did.
enum class Fed : std::uint8_t {
  row,      ///< ended a record, and its row was appended
  skipped,  ///< ended something that is no row (a header, a blank line); between records now
  open,     ///< inside a record: more pieces are needed
};

/// A longer record is refused: it is a missing quote or newline far more often than a record, and memory must stay
/// bounded.
inline constexpr std::size_t max_record_bytes = std::size_t{64} << 20;

/// One thread. After a throw, resume() makes it ready for the next record; nothing but the batch's unfinished row is
/// spoilt.
class RecordParser {
 public:
  RecordParser() = default;
  RecordParser(const RecordParser&) = delete;
  RecordParser& operator=(const RecordParser&) = delete;
  virtual ~RecordParser() = default;

  /// How LineReader has to cut the files.
  [[nodiscard]] virtual LineEnds line_ends() const noexcept = 0;
  /// Comes first. \throws Error (configuration) if the fields known so far don't feed the columns
  virtual void bind(std::shared_ptr<const TableSchema> schema) = 0;
  /// The next piece is the first of a file.
  virtual void start_file() = 0;
  /// True until the header of the file, if it has to have one, has been fed.
  [[nodiscard]] virtual bool needs_header() const noexcept = 0;
  /// Forgets a half-fed record: the next piece begins a record.
  virtual void resume() noexcept = 0;

  /// Pieces come in order and without gaps. `place` is where the current record begins. The batch has bind()'s schema.
  /// \throws DataError, Error (configuration) for a header that doesn't fit the columns
  [[nodiscard]] virtual Fed feed(const Piece& piece, const Place& place, RowBatch& batch) = 0;
  /// The file is over: ends a last record that has no line end. Same errors as feed.
  [[nodiscard]] virtual Fed finish(const Place& place, RowBatch& batch) = 0;
};

}  // namespace xasink::sources
