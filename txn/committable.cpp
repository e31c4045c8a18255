#include "xasink/committable.hpp"

#include <xxhash.h>

#include "txn/wire.hpp"
#include "xasink/error.hpp"

// Layout: magic "XSCM", version u16, protocol u8, resource, table, gid and spool as length u32 + bytes, rows u64, bytes u64,
// XXH64 of everything before as u64; numbers little-endian. docs/formats.md says the same.

namespace xasink {
namespace {

constexpr std::string_view kMagic = "XSCM";
constexpr std::uint16_t kVersion = 1;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(Category::corrupt, "committable: " + why,
              "use the bytes exactly as prepare_commit gave them, with an xasink at least as new as the one that wrote them");
}

}  // namespace

std::string_view to_string(Protocol protocol) noexcept {
  switch (protocol) {
    case Protocol::prepared: return "prepared";
    case Protocol::staged: return "staged";
  }
  return "?";
}

std::string Committable::serialize() const {
  txn::WireWriter out;
  out.raw(kMagic);
  out.number(kVersion);
  out.number(static_cast<std::uint8_t>(protocol));
  out.text(resource);
  out.text(table);
  out.text(xid.gid());
  out.text(spool);
  out.number(rows);
  out.number(bytes);
  out.number(static_cast<std::uint64_t>(XXH64(out.bytes().data(), out.bytes().size(), 0)));
  return out.take();
}

Committable Committable::deserialize(std::string_view bytes) {
  txn::WireReader in(bytes);
  const auto magic = in.raw(kMagic.size());
  if (!magic || *magic != kMagic) refuse("these are not the bytes of a committable");
  const auto version = in.number<std::uint16_t>();
  if (!version) refuse("cut off after the magic");
  // The version comes before the checksum: a later version may sum differently.
  if (*version != kVersion) {
    refuse("version " + std::to_string(*version) + " is not known, this build knows " + std::to_string(kVersion));
  }
  if (bytes.size() < sizeof(std::uint64_t)) refuse("cut off");
  const std::string_view summed = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  const auto sum = txn::WireReader(bytes.substr(summed.size())).number<std::uint64_t>();
  if (sum != XXH64(summed.data(), summed.size(), 0)) refuse("the checksum does not match, the bytes are damaged");

  const auto protocol = in.number<std::uint8_t>();
  const auto resource = in.text();
  const auto table = in.text();
  const auto gid = in.text();
  const auto spool = in.text();
  const auto rows = in.number<std::uint64_t>();
  const auto size = in.number<std::uint64_t>();
  if (!protocol || !resource || !table || !gid || !spool || !rows || !size || !in.raw(sizeof(std::uint64_t)) ||
      !in.at_end()) {
    refuse("its fields do not fill the bytes");
  }
  const auto xid = Xid::parse_gid(*gid);
  if (!xid) refuse("the branch name in it is not one of xasink's");
  if (*protocol != static_cast<std::uint8_t>(Protocol::prepared) && *protocol != static_cast<std::uint8_t>(Protocol::staged)) {
    refuse("commit protocol " + std::to_string(*protocol) + " is not known");
  }
  return Committable{static_cast<Protocol>(*protocol), std::string(*resource), std::string(*table), *xid, *rows, *size,
                     std::string(*spool)};
}

}  // namespace xasink
