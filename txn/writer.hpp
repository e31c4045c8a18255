// The sink's writer: branches of one writer, one after the other, split by the bounds.
#pragma once

#include <memory>
#include <string>

#include "txn/resource.hpp"
#include "xasink/sink.hpp"

namespace xasink::txn {

struct WriterIdentity {
  std::string job;
  std::string owner;
  std::uint64_t epoch = 0;
  std::uint32_t index = 0;
};

[[nodiscard]] std::unique_ptr<SinkWriter> make_writer(std::shared_ptr<Resource> resource,
                                                      std::shared_ptr<const TableSchema> schema, WriterIdentity identity,
                                                      std::uint64_t next_checkpoint, const BranchBounds& bounds);

}  // namespace xasink::txn
