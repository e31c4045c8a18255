// A small spool file, and what was put into it.
#pragma once

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"
#include "txn/staged/spool_folder.hpp"
#include "txn/staged/spool_reader.hpp"
#include "txn/staged/spool_writer.hpp"

namespace xasink::test {

inline std::shared_ptr<const TableSchema> spool_schema() {
  return std::make_shared<const TableSchema>(TableSchema{"orders",
                                                         {{"id", {TypeKind::int64}, false},
                                                          {"name", {TypeKind::text, 0, 0, 10}, true},
                                                          {"price", {TypeKind::decimal, 12, 2}, true},
                                                          {"tag", {TypeKind::uuid}, true}}});
}

inline Xid spool_xid(std::uint64_t checkpoint = 7) { return {"orders", "0a1b2c3d4e", 3, 1, checkpoint, 0}; }

inline RowBatch spool_batch(std::shared_ptr<const TableSchema> schema, std::int64_t first, int rows,
                            const std::string& file) {
  RowBatch batch(std::move(schema));
  batch.set_file(std::make_shared<const std::string>(file));
  for (int i = 0; i < rows; ++i) {
    batch.append_int(first + i);
    if (i % 3 == 0)
      batch.append_null();
    else
      batch.append_bytes(i % 3 == 1 ? "" : "name " + std::to_string(i));
    batch.append_bytes("12." + std::to_string(10 + i));
    batch.append_bytes("0123456789abcdef");
    batch.end_row(static_cast<std::uint64_t>(100 + i));
  }
  return batch;
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << bytes;
}

struct SpoolFixture {
  TempDir temp;
  txn::staged::SpoolFolder folder{temp.path() / "spool"};
  std::shared_ptr<const TableSchema> schema = spool_schema();

  txn::staged::SpoolHeader header(const Xid& xid = spool_xid()) const { return {xid, "fake:shop", *schema}; }

  /// Two blocks, from two files.
  std::filesystem::path make() {
    txn::staged::SpoolWriter writer(folder, header());
    writer.append(spool_batch(schema, 1, 4, "a.csv"));
    writer.append(spool_batch(schema, 5, 2, "b.csv"));
    return writer.finish();
  }

  txn::staged::SpoolReader open(const std::filesystem::path& path) {
    auto file = txn::staged::File::open(path);
    if (!file) throw std::runtime_error("no file " + path.string());
    return txn::staged::SpoolReader(std::move(*file));
  }

  /// Every row as text, after the footer agreed. Touches every byte of every value.
  std::vector<std::string> read_all(const std::filesystem::path& path) {
    txn::staged::SpoolReader reader = open(path);
    RowBatch batch(reader.schema());
    std::vector<std::string> rows;
    while (reader.next(batch)) {
      for (std::size_t row = 0; row < batch.rows(); ++row) {
        std::string text = (batch.file() ? *batch.file() : "") + ":" + std::to_string(batch.line(row));
        for (std::size_t column = 0; column < batch.columns(); ++column) {
          const Cell& cell = batch.row(row)[column];
          text += '|';
          if (cell.null != 0)
            text += "NULL";
          else if (reader.schema()->columns[column].type.kind == TypeKind::int64)
            text += std::to_string(cell.i);
          else
            text += batch.bytes_of(cell);
        }
        rows.push_back(std::move(text));
      }
    }
    return rows;
  }
};

}  // namespace xasink::test
