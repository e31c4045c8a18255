#include "src/sources/gzip_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "src/sources/input_file.hpp"
#include "xasink/error.hpp"

namespace xasink::sources {

namespace {

constexpr std::size_t input_bytes = 64 * 1024;
constexpr int gzip_only = 15 + 16;  // largest window, gzip header and trailer with checksum

}  // namespace

GzipReader::GzipReader(int fd, std::string path)
    : fd_(fd),
      path_(std::move(path)),
      input_(std::make_unique<unsigned char[]>(input_bytes)),
      stream_(std::make_unique<z_stream_s>()) {
  if (::inflateInit2(stream_.get(), gzip_only) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { ::inflateEnd(stream_.get()); }

std::uint64_t GzipReader::raw_offset() const noexcept { return fetched_ - stream_->avail_in; }

std::size_t GzipReader::read(char* into, std::size_t size) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  const auto wanted = static_cast<uInt>(std::min(size, most));
  stream_->next_out = reinterpret_cast<Bytef*>(into);
  stream_->avail_out = wanted;
  while (stream_->avail_out != 0) {
    if (stream_->avail_in == 0 && !fill()) {
      if (between_members_) break;
      fail("ends inside its compressed data: is it complete?");
    }
    if (between_members_) {
      if (::inflateReset(stream_.get()) != Z_OK) fail("can't be decompressed further");
      between_members_ = false;
    }
    const int status = ::inflate(stream_.get(), Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(std::string("has damaged gzip data (") + (stream_->msg != nullptr ? stream_->msg : "unknown reason") + ')');
    }
  }
  return wanted - stream_->avail_out;
}

bool GzipReader::fill() {
  const std::size_t got = read_at(fd_, path_, reinterpret_cast<char*>(input_.get()), input_bytes, fetched_);
  stream_->next_in = input_.get();
  stream_->avail_in = static_cast<uInt>(got);
  fetched_ += got;
  return got != 0;
}

void GzipReader::fail(const std::string& what) const {
  throw Error(Category::io, path_ + ' ' + what + " (at byte " + std::to_string(raw_offset()) + " of the file)",
              "put a whole copy of the file in its place, then run the job again");
}

}  // namespace xasink::sources
