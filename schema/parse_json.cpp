// JSON is checked as a whole and kept as it was given.
#include <simdjson.h>

#include "schema/parsers.hpp"

namespace xasink::schema {
namespace {

// The document with every run of digits outside of strings cut to one or two, such that it is valid JSON exactly if the
// original is: a run that begins with 0 keeps a second digit, since 01 is no number. JSON does not bound its numbers
// and databases store what a double can't hold; the library refuses it.
void shrink_numbers(std::string_view text, std::string& out) {
  out.clear();
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    out += c;
    ++i;
    if (in_string) {
      if (c == '\\' && i < text.size()) out += text[i++];
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c >= '0' && c <= '9') {
      const std::size_t start = i;
      while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
      if (c == '0' && i > start) out += '0';
    }
  }
}

Refusal explain(simdjson::error_code error) {
  switch (error) {
    case simdjson::SUCCESS: return {};
    case simdjson::UTF8_ERROR: return "is not valid UTF-8";
    case simdjson::DEPTH_ERROR: return "is JSON nested too deeply (more than 1024 levels)";
    case simdjson::MEMALLOC: return "is JSON that there is no memory left to check";
    case simdjson::UNESCAPED_CHARS: return "is not valid JSON: a control character inside a string";
    case simdjson::UNCLOSED_STRING: return "is not valid JSON: a string does not end";
    case simdjson::STRING_ERROR: return "is not valid JSON: a bad escape inside a string";
    case simdjson::NUMBER_ERROR: return "is not valid JSON: a malformed number";
    case simdjson::EMPTY: return "is not valid JSON: nothing but white space";
    default: return "is not valid JSON";  // another library's enum, which grows
  }
}

}  // namespace

Refusal append_json(RowBatch& batch, std::string_view text) {
  thread_local simdjson::dom::parser parser;
  thread_local std::string shrunk;

  // Newer versions of the library skip a byte order mark; a database would not.
  if (text.substr(0, 3) == "\xef\xbb\xbf") return "is not valid JSON: it begins with a byte order mark";
  simdjson::error_code error = parser.parse(text.data(), text.size()).error();
  if (error != simdjson::SUCCESS) {
    // Versions differ in the errors they have for numbers that are too large; for any other error nothing changes.
    shrink_numbers(text, shrunk);
    error = parser.parse(shrunk.data(), shrunk.size()).error();
  }
  if (error != simdjson::SUCCESS) return explain(error);
  batch.append_bytes(text);
  return {};
}

}  // namespace xasink::schema
