#include "xasink/xid.hpp"

#include <sys/random.h>
#include <xxhash.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <limits>

#include "xasink/error.hpp"

namespace xasink {
namespace {

constexpr std::string_view kPrefix = "xasink1.";
constexpr std::string_view kOwnerAlphabet = "0123456789abcdefghijklmnopqrstuv";  // 32 letters: 5 bits each
constexpr std::size_t kOwnerLength = 10;
constexpr std::size_t kJobLength = 24;

// Decimal without sign and superfluous zeros, else empty: two spellings of one number would be two names of one branch.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Cuts the text before the next dot off `rest`; empty when there is no dot.
std::optional<std::string_view> take_field(std::string_view& rest) {
  const auto dot = rest.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view field = rest.substr(0, dot);
  rest.remove_prefix(dot + 1);
  return field;
}

std::string check_of(std::string_view gtrid, std::string_view fields) {
  std::string all;
  all.append(gtrid).append("/").append(fields);
  std::array<char, 9> hex{};
  std::snprintf(hex.data(), hex.size(), "%08x", XXH32(all.data(), all.size(), 0));
  return {hex.data(), 8};
}

std::string fields_of(const Xid& xid) {
  return std::to_string(xid.writer) + '.' + std::to_string(xid.checkpoint) + '.' + std::to_string(xid.part);
}

}  // namespace

bool valid_job_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kJobLength) return false;
  for (const char c : name) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return false;
  }
  return true;
}

bool valid_owner(std::string_view owner) noexcept {
  if (owner.size() != kOwnerLength) return false;
  for (const char c : owner) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) return false;
  }
  return true;
}

std::string make_owner() {
  std::array<unsigned char, kOwnerLength> random{};
  if (getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw Error(Category::io, "the system gives no random bytes for the owner tag");
  }
  std::string owner;
  for (const unsigned char byte : random) owner.push_back(kOwnerAlphabet[byte % kOwnerAlphabet.size()]);
  return owner;
}

std::string Xid::gtrid() const {
  return std::string(kPrefix) + job + '.' + owner + '.' + std::to_string(epoch);
}

std::string Xid::bqual() const {
  const std::string fields = fields_of(*this);
  return fields + '.' + check_of(gtrid(), fields);
}

std::string Xid::gid() const { return gtrid() + '/' + bqual(); }

std::optional<Xid> Xid::parse(std::string_view gtrid, std::string_view bqual) {
  if (!gtrid.starts_with(kPrefix)) return std::nullopt;
  std::string_view rest = gtrid.substr(kPrefix.size());
  const auto job = take_field(rest);
  const auto owner = take_field(rest);
  if (!job || !owner || !valid_job_name(*job) || !valid_owner(*owner)) return std::nullopt;
  const auto epoch = parse_number<std::uint64_t>(rest);

  rest = bqual;
  const auto writer_text = take_field(rest);
  const auto checkpoint_text = take_field(rest);
  const auto part_text = take_field(rest);
  if (!epoch || !writer_text || !checkpoint_text || !part_text) return std::nullopt;
  const auto writer = parse_number<std::uint32_t>(*writer_text);
  const auto checkpoint = parse_number<std::uint64_t>(*checkpoint_text);
  const auto part = parse_number<std::uint32_t>(*part_text);
  if (!writer || !checkpoint || !part || *epoch == 0 || *checkpoint == 0) return std::nullopt;
  // Databases keep these numbers in signed columns.
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (*epoch > kMax || *checkpoint > kMax || *writer > 0x7fffffffU || *part > 0x7fffffffU) return std::nullopt;

  Xid xid{std::string(*job), std::string(*owner), *epoch, *writer, *checkpoint, *part};
  if (rest != check_of(gtrid, fields_of(xid))) return std::nullopt;
  return xid;
}

std::optional<Xid> Xid::parse_gid(std::string_view gid) {
  const auto slash = gid.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return parse(gid.substr(0, slash), gid.substr(slash + 1));
}

}  // namespace xasink
