// Little-endian bytes with lengths, for formats that outlive a process. Reading never trusts what it reads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xasink::txn {

class WireWriter {
 public:
  void raw(std::string_view bytes) { out_.append(bytes); }
  template <typename Unsigned>
  void number(Unsigned value) {
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
      out_.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
    }
  }
  /// Length in 4 bytes, then the bytes. \pre value.size() fits 32 bits
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_.append(value);
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return out_; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Every call answers empty once the bytes run out; check ok() or the optional before using a value.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] std::optional<std::string_view> raw(std::size_t size) noexcept {
    if (rest_.size() < size) return std::nullopt;
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  template <typename Unsigned>
  [[nodiscard]] std::optional<Unsigned> number() noexcept {
    const auto part = raw(sizeof(Unsigned));
    if (!part) return std::nullopt;
    Unsigned value = 0;
    for (std::size_t i = 0; i < sizeof(Unsigned); ++i) {
      value = static_cast<Unsigned>(value | static_cast<Unsigned>(static_cast<Unsigned>(static_cast<unsigned char>((*part)[i]))
                                                                  << (8 * i)));
    }
    return value;
  }
  [[nodiscard]] std::optional<std::string_view> text() noexcept {
    const auto size = number<std::uint32_t>();
    return size ? raw(*size) : std::nullopt;
  }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace xasink::txn
