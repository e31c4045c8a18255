#include "drivers/postgresql/copy_encoder.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "drivers/postgresql/wire.hpp"
#include "schema/parse_value.hpp"
#include "xasink/error.hpp"

namespace xasink::postgresql {
namespace {

constexpr std::size_t kWorthSending = 128 << 10;
constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);

bool is_int(TypeKind kind) {
  switch (kind) {
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64: return true;
    case TypeKind::float32:
    case TypeKind::float64:
    case TypeKind::decimal:
    case TypeKind::text:
    case TypeKind::bytes:
    case TypeKind::boolean:
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamptz:
    case TypeKind::uuid:
    case TypeKind::json: return false;
  }
  return false;
}

bool takes(WireForm form, TypeKind kind) {
  switch (form) {
    case WireForm::boolean: return kind == TypeKind::boolean;
    case WireForm::int2:
    case WireForm::int4:
    case WireForm::int8: return is_int(kind);
    case WireForm::float4:
    case WireForm::float8: return kind == TypeKind::float32 || kind == TypeKind::float64;
    case WireForm::numeric: return is_int(kind) || kind == TypeKind::decimal;
    case WireForm::text: return kind == TypeKind::text;
    case WireForm::bytea: return kind == TypeKind::bytes;
    case WireForm::date: return kind == TypeKind::date;
    case WireForm::time: return kind == TypeKind::time;
    case WireForm::timestamp: return kind == TypeKind::timestamp;
    case WireForm::timestamptz: return kind == TypeKind::timestamptz;
    case WireForm::uuid: return kind == TypeKind::uuid;
    case WireForm::json:
    case WireForm::jsonb: return kind == TypeKind::json;
  }
  return false;
}

std::size_t characters(std::string_view utf8) {
  return static_cast<std::size_t>(
      std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string in_words(const RowBatch& batch, const Cell& cell, TypeKind kind) {
  if (is_int(kind)) return kind == TypeKind::uint64 ? std::to_string(cell.u) : std::to_string(cell.i);
  switch (kind) {
    case TypeKind::float32:
    case TypeKind::float64: return std::to_string(cell.d);
    case TypeKind::decimal:
    case TypeKind::text:
    case TypeKind::json: return schema::shorten(batch.bytes_of(cell));
    case TypeKind::bytes:
    case TypeKind::uuid: return std::to_string(cell.length) + " bytes";
    case TypeKind::int8:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint8:
    case TypeKind::uint16:
    case TypeKind::uint32:
    case TypeKind::uint64:
    case TypeKind::boolean:
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::timestamp:
    case TypeKind::timestamptz: return std::to_string(cell.i);
  }
  return {};
}

}  // namespace

CopyEncoder::CopyEncoder(const TableSchema& schema, const TargetTable& target) : table_(target.qualified) {
  if (schema.columns.size() > static_cast<std::size_t>(std::numeric_limits<std::int16_t>::max())) {
    throw Error(Category::preflight, table_ + ": too many columns for one row",
                "name fewer in `columns:`");
  }
  for (const Column& column : schema.columns) {
    const TargetColumn* found = target.find(column.name);
    if (found == nullptr) {
      throw Error(Category::preflight, table_ + " has no column " + column.name, "name only columns the table has");
    }
    plans_.push_back(plan(column, *found, table_));
  }
  fixed_ = 2 + plans_.size() * (4 + 8);
}

CopyEncoder::Plan CopyEncoder::plan(const Column& column, const TargetColumn& target, const std::string& table) {
  const std::string where = table + ": column " + column.name;
  if (!target.writable) {
    throw Error(Category::preflight, where + " makes its own values", "leave it out of the columns");
  }
  if (!target.form) {
    throw Error(Category::preflight, where + " is of type " + target.type + ", which can't be written yet",
                "leave it out, or change its type");
  }
  const TypeKind kind = column.type.kind;
  if (!takes(*target.form, kind)) {
    throw Error(Category::preflight, where + " is of type " + target.type + " and takes no " + to_string(column.type),
                "give the column in the job file the type the table has");
  }
  Plan out;
  out.from_uint = kind == TypeKind::uint64;
  for (int digits = target.fraction; digits < 6; ++digits) out.unit *= 10;
  const auto integer = [&out](Step step, auto type) {
    out.step = step;
    out.low = std::numeric_limits<decltype(type)>::min();
    out.high = std::numeric_limits<decltype(type)>::max();
  };
  switch (*target.form) {
    case WireForm::boolean: out.step = Step::boolean; break;
    case WireForm::int2: integer(Step::int2, std::int16_t{}); break;
    case WireForm::int4: integer(Step::int4, std::int32_t{}); break;
    case WireForm::int8: integer(Step::int8, std::int64_t{}); break;
    case WireForm::float4: out.step = Step::float4; break;
    case WireForm::float8: out.step = Step::float8; break;
    case WireForm::numeric:
      out.step = kind == TypeKind::decimal ? Step::numeric : out.from_uint ? Step::numeric_uint : Step::numeric_int;
      out.scale = target.precision > 0 ? static_cast<std::size_t>(target.scale) : kNumericFraction;
      out.integer = target.precision > 0 ? static_cast<std::size_t>(std::max(target.precision - target.scale, 0))
                                         : kNumericInteger;
      break;
    case WireForm::text:
      out.step = Step::text;
      out.max_length = target.max_length;
      break;
    case WireForm::bytea:
    case WireForm::json: out.step = Step::bytes; break;
    case WireForm::date: out.step = Step::date; break;
    case WireForm::time: out.step = Step::time; break;
    case WireForm::timestamp:
    case WireForm::timestamptz: out.step = Step::timestamp; break;
    case WireForm::uuid: out.step = Step::uuid; break;
    case WireForm::jsonb: out.step = Step::jsonb; break;
  }
  return out;
}

void CopyEncoder::reserve(std::size_t more) {
  if (buffer_.size() - used_ < more) buffer_.resize(std::max(buffer_.size() * 2, used_ + more + kWorthSending));
}

void CopyEncoder::header() {
  reserve(kSignature.size() + 8);
  std::memcpy(buffer_.data() + used_, kSignature.data(), kSignature.size());
  char* out = store(buffer_.data() + used_ + kSignature.size(), std::int32_t{0});  // flags
  out = store(out, std::int32_t{0});                                               // no extension of the header
  used_ = static_cast<std::size_t>(out - buffer_.data());
}

void CopyEncoder::trailer() {
  reserve(2);
  store(buffer_.data() + used_, std::int16_t{-1});
  used_ += 2;
}

std::size_t CopyEncoder::encode(const RowBatch& batch, std::size_t first) {
  const std::size_t columns = plans_.size();
  const std::size_t rows = batch.rows();
  std::size_t row = first;
  for (; row < rows && used_ < kWorthSending; ++row) {
    reserve(fixed_);
    char* out = store(buffer_.data() + used_, static_cast<std::int16_t>(columns));
    const Cell* cells = batch.row(row);
    for (std::size_t column = 0; column < columns; ++column) {
      out = cells[column].null != 0 ? store(out, std::int32_t{-1}) : put_cell(out, batch, row, column);
    }
    used_ = static_cast<std::size_t>(out - buffer_.data());
  }
  return row;
}

char* CopyEncoder::put_cell(char* out, const RowBatch& batch, std::size_t row, std::size_t column) {
  const Plan& plan = plans_[column];
  const Cell& cell = batch.row(row)[column];
  switch (plan.step) {
    case Step::boolean:
      out = store(out, std::int32_t{1});
      *out++ = cell.i != 0 ? 1 : 0;
      return out;
    case Step::int2:
    case Step::int4:
    case Step::int8: return put_integer(out, batch, row, column);
    case Step::float4: {
      const bool finite_too_large = std::isfinite(cell.d) && std::abs(cell.d) > std::numeric_limits<float>::max();
      const auto value = finite_too_large ? 0.0F : static_cast<float>(cell.d);
      if (static_cast<double>(value) != cell.d && !std::isnan(cell.d))
        refuse(batch, row, column, "is not exact as a float4");
      out = store(out, std::int32_t{4});
      return store(out, std::bit_cast<std::uint32_t>(value));
    }
    case Step::float8: out = store(out, std::int32_t{8}); return store(out, std::bit_cast<std::uint64_t>(cell.d));
    case Step::date:
      if (cell.i < kFirstDay || cell.i > kLastDay) refuse(batch, row, column, "is outside the dates PostgreSQL knows");
      out = store(out, std::int32_t{4});
      return store(out, static_cast<std::int32_t>(cell.i - kEpochDays));
    case Step::time:
      if (cell.i % plan.unit != 0) refuse(batch, row, column, "has more digits of a second than the column keeps");
      out = store(out, std::int32_t{8});
      return store(out, cell.i);
    case Step::timestamp:
      if (cell.i < kFirstMicros) refuse(batch, row, column, "is outside the timestamps PostgreSQL knows");
      if (cell.i % plan.unit != 0) refuse(batch, row, column, "has more digits of a second than the column keeps");
      out = store(out, std::int32_t{8});
      return store(out, cell.i - kEpochMicros);
    case Step::numeric:
    case Step::numeric_int:
    case Step::numeric_uint:
    case Step::text:
    case Step::bytes:
    case Step::uuid:
    case Step::jsonb: return put_variable(out, batch, row, column);
  }
  return out;
}

char* CopyEncoder::put_integer(char* out, const RowBatch& batch, std::size_t row, std::size_t column) {
  const Plan& plan = plans_[column];
  const Cell& cell = batch.row(row)[column];
  // A uint64 above the signed range has its top bit set and reads as negative, which no unsigned value is.
  if (cell.i < plan.low || cell.i > plan.high || (plan.from_uint && cell.i < 0)) {
    refuse(batch, row, column, "is outside the range of the column's type");
  }
  if (plan.step == Step::int2) return store(store(out, std::int32_t{2}), static_cast<std::int16_t>(cell.i));
  if (plan.step == Step::int4) return store(store(out, std::int32_t{4}), static_cast<std::int32_t>(cell.i));
  return store(store(out, std::int32_t{8}), cell.i);
}

char* CopyEncoder::put_variable(char* out, const RowBatch& batch, std::size_t row, std::size_t column) {
  const Plan& plan = plans_[column];
  const Cell& cell = batch.row(row)[column];
  char digits[24];
  std::string_view value;
  if (plan.step == Step::numeric_int || plan.step == Step::numeric_uint) {
    const auto end = plan.step == Step::numeric_int ? std::to_chars(digits, digits + sizeof digits, cell.i).ptr
                                                    : std::to_chars(digits, digits + sizeof digits, cell.u).ptr;
    value = {digits, static_cast<std::size_t>(end - digits)};
  } else {
    value = batch.bytes_of(cell);
  }

  // The buffer may move: room is made for this value and for the fixed rest of the row.
  const auto at = static_cast<std::size_t>(out - buffer_.data());
  if (buffer_.size() - at < fixed_ + numeric_bound(value.size())) {
    used_ = at;
    reserve(fixed_ + numeric_bound(value.size()));
    out = buffer_.data() + at;
  }

  if (plan.step == Step::numeric || plan.step == Step::numeric_int || plan.step == Step::numeric_uint) {
    const NumericShape shape = numeric_shape(value);
    if (shape.significant_integer > plan.integer) {
      refuse(batch, row, column, "has more digits before the point than the column keeps");
    }
    if (shape.significant_fraction > plan.scale || shape.fraction > kNumericFraction) {
      refuse(batch, row, column, "has more digits after the point than the column keeps");
    }
    char* const end = store_numeric(out + 4, value);
    store(out, static_cast<std::int32_t>(end - out - 4));
    return end;
  }
  if (plan.step == Step::text && plan.max_length > 0 && value.size() > plan.max_length &&
      characters(value) > plan.max_length) {
    refuse(batch, row, column, "is longer than the column's " + std::to_string(plan.max_length) + " characters");
  }
  if (plan.step == Step::uuid && value.size() != 16) refuse(batch, row, column, "is not 16 bytes long");
  if (value.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    refuse(batch, row, column, "is longer than PostgreSQL takes");
  }
  if (plan.step == Step::jsonb) {
    out = store(out, static_cast<std::int32_t>(value.size() + 1));
    *out++ = 1;  // the version of jsonb's binary form
  } else {
    out = store(out, static_cast<std::int32_t>(value.size()));
  }
  if (!value.empty()) std::memcpy(out, value.data(), value.size());
  return out + value.size();
}

void CopyEncoder::refuse(const RowBatch& batch, std::size_t row, std::size_t column, const std::string& why) const {
  const Column& named = batch.schema().columns[column];
  DataError::Origin origin;
  if (batch.file()) origin.file = *batch.file();
  origin.line = batch.line(row);
  origin.column = named.name;
  origin.value = in_words(batch, batch.row(row)[column], named.type.kind);
  std::string message = origin.file.empty() ? "" : origin.file + ":" + std::to_string(origin.line) + ": ";
  message += table_ + ", column " + named.name + ": " + origin.value + " " + why;
  ErrorDetails details;
  details.category = Category::data;
  details.session_usable = true;
  details.hint = "correct the value, or change the column to take it";
  throw DataError(message, details, origin);
}

}  // namespace xasink::postgresql
