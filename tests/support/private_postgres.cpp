#include "tests/support/private_postgres.hpp"

#include <arpa/inet.h>
#include <grp.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace xasink::test {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> server_programs() {
  if (const char* chosen = std::getenv("XASINK_PG_BIN"); chosen != nullptr && *chosen != '\0') return fs::path(chosen);
  std::optional<fs::path> newest;
  int newest_version = 0;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", none)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version > newest_version && fs::exists(entry.path() / "bin/initdb")) {
      newest_version = version;
      newest = entry.path() / "bin";
    }
  }
  return newest;
}

fs::path program(const char* name) {
  const auto folder = server_programs();
  if (!folder)
    throw std::runtime_error("no PostgreSQL server is installed; set XASINK_PG_BIN to the folder of its programs");
  return *folder / name;
}

// PostgreSQL refuses to run as root.
std::string unprivileged_user() {
  if (geteuid() != 0) return {};
  return getpwnam("postgres") != nullptr ? "postgres" : "nobody";
}

void give_away(const fs::path& folder) {
  const std::string user = unprivileged_user();
  if (user.empty()) return;
  const passwd* entry = getpwnam(user.c_str());
  if (entry == nullptr || chown(folder.c_str(), entry->pw_uid, entry->pw_gid) != 0) {
    throw std::runtime_error("can't give " + folder.string() + " to " + user);
  }
}

fs::path make_folder(const char* name) {
  std::string pattern = (fs::temp_directory_path() / name).string() + ".XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("can't make " + pattern);
  give_away(pattern);
  return pattern;
}

Process::Options as_server() {
  Process::Options options;
  options.user = unprivileged_user();
  options.environment = {{"LC_ALL", "C.UTF-8"}};
  options.directory = "/";
  options.death_signal = SIGQUIT;
  return options;
}

/// A cluster that is made once per test program and copied for each server.
class Template {
 public:
  Template() : folder_(make_folder("xasink-pg-template")) {
    run({program("initdb"), "-D", data(), "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8",
         "--no-sync"},
        as_server());
  }
  ~Template() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Template(const Template&) = delete;
  Template& operator=(const Template&) = delete;
  [[nodiscard]] fs::path data() const { return folder_ / "data"; }

 private:
  fs::path folder_;
};

int free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  const bool got = socket >= 0 && bind(socket, generic, length) == 0 && getsockname(socket, generic, &length) == 0;
  close(socket);
  if (!got) throw std::runtime_error("no free port on 127.0.0.1");
  return ntohs(address.sin_port);
}

using Handle = std::unique_ptr<PGconn, decltype(&PQfinish)>;

}  // namespace

bool PrivatePostgres::installed() { return server_programs().has_value(); }

PrivatePostgres::PrivatePostgres() : PrivatePostgres(Options{}) {}

PrivatePostgres::PrivatePostgres(Options options) : options_(std::move(options)), folder_(make_folder("xasink-pg")) {
  static const Template kTemplate;
  run({"cp", "-r", kTemplate.data(), folder_ / "data"}, as_server());
  port_ = free_port();
  {
    std::ofstream config(folder_ / "data/postgresql.conf", std::ios::app);
    config << "listen_addresses = '127.0.0.1'\nport = " << port_ << "\nunix_socket_directories = '" << folder_.string()
           << "'\nmax_prepared_transactions = 64\nmax_connections = 60\nshared_buffers = '32MB'\nfsync = "
           << (options_.fsync ? "on" : "off") << "\n";
    std::ofstream access(folder_ / "data/pg_hba.conf", std::ios::trunc);
    for (const std::string& line : options_.access) access << line << "\n";
    access << "host all all 127.0.0.1/32 trust\nlocal all all trust\n";
    if (!config || !access) throw std::runtime_error("can't configure the server in " + folder_.string());
  }
  start();
}

PrivatePostgres::~PrivatePostgres() {
  if (server_ && server_->running()) {
    server_->signal(SIGQUIT);
    server_->wait(std::chrono::seconds(20));
  }
  server_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string PrivatePostgres::url(const std::string& user, const std::string& database) const {
  return "postgresql://" + user + "@127.0.0.1:" + std::to_string(port_) + "/" + database;
}

std::string PrivatePostgres::log() const { return server_ ? server_->err() : ""; }

void PrivatePostgres::start(const std::vector<std::string>& settings) {
  options_.settings.insert(options_.settings.end(), settings.begin(), settings.end());
  std::vector<std::string> argv{program("postgres"), "-D", folder_ / "data"};
  for (const std::string& setting : options_.settings) {
    argv.emplace_back("-c");
    argv.push_back(setting);
  }
  server_ = std::make_unique<Process>(argv, as_server());
  wait_until_ready();
}

void PrivatePostgres::wait_until_ready() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (PQping(url().c_str()) != PQPING_OK) {
    if (!server_->running()) throw std::runtime_error("the PostgreSQL server ended: " + log());
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("the PostgreSQL server does not get ready: " + log());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void PrivatePostgres::wait_until_gone() {
  if (!server_->wait(std::chrono::seconds(60)))
    throw std::runtime_error("the PostgreSQL server does not end: " + log());
}

void PrivatePostgres::stop() {
  server_->signal(SIGINT);
  wait_until_gone();
}

void PrivatePostgres::kill_immediate() {
  server_->signal(SIGQUIT);
  wait_until_gone();
}

void PrivatePostgres::kill_9() {
  // Children first found while their parent lives; they would end by themselves, but not at once.
  const std::string pid = std::to_string(server_->pid());
  std::ifstream list("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  server_->signal(SIGKILL);
  wait_until_gone();
  for (const pid_t child : children) ::kill(child, SIGKILL);
  // They hold the shared memory that the next start wants. Bounded, because what reaps orphans here may be slow at it.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (const pid_t child : children) {
    while (::kill(child, 0) == 0 && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
}

PrivatePostgres::Rows PrivatePostgres::query(const std::string& sql, const std::string& database) const {
  const Handle connection(PQconnectdb(url("postgres", database).c_str()), &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(connection.get()));
  PQsetNoticeReceiver(
      connection.get(), [](void*, const PGresult*) {}, nullptr);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()), &PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
  Rows rows;
  for (int row = 0; row < PQntuples(result.get()); ++row) {
    rows.emplace_back();
    for (int column = 0; column < PQnfields(result.get()); ++column) {
      const bool null = PQgetisnull(result.get(), row, column) != 0;
      rows.back().emplace_back(null ? "\\N" : PQgetvalue(result.get(), row, column));
    }
  }
  return rows;
}

std::string PrivatePostgres::value(const std::string& sql, const std::string& database) const {
  return query(sql, database).at(0).at(0);
}

}  // namespace xasink::test
