#include "tests/support/process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace xasink::test {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

std::string content(int file) {
  std::string text;
  char piece[4096];
  for (ssize_t n = 0; (n = pread(file, piece, sizeof piece, static_cast<off_t>(text.size()))) > 0;) {
    text.append(piece, static_cast<std::size_t>(n));
  }
  return text;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) out.push_back(text);
  }
  for (const auto& [name, value] : added) out.push_back(name + "=" + value);
  return out;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv) : Process(argv, Options{}) {}

Process::Process(const std::vector<std::string>& argv, const Options& options) {
  auto arguments = argv;
  auto environment = merged_environment(options.environment);
  const auto argument_pointers = pointers(arguments);
  const auto environment_pointers = pointers(environment);
  uid_t user = 0;
  gid_t group = 0;
  if (!options.user.empty()) {
    const passwd* entry = getpwnam(options.user.c_str());
    if (entry == nullptr) throw std::runtime_error("no user " + options.user);
    user = entry->pw_uid;
    group = entry->pw_gid;
  }
  out_ = memfd_create("stdout", MFD_CLOEXEC);
  err_ = memfd_create("stderr", MFD_CLOEXEC);
  int report[2];  // the child tells an errno if it can't begin
  if (out_ < 0 || err_ < 0 || pipe2(report, O_CLOEXEC) != 0) fail("no files for the output of " + argv[0]);
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) fail("fork");
  if (pid_ == 0) {
    // Only calls that are safe between fork and exec. The death signal is set after the user: changing that clears it.
    const bool ready =
        (options.user.empty() || (setgroups(0, nullptr) == 0 && setgid(group) == 0 && setuid(user) == 0)) &&
        (options.directory.empty() || chdir(options.directory.c_str()) == 0) &&
        prctl(PR_SET_PDEATHSIG, options.death_signal) == 0 && getppid() == parent && dup2(out_, 1) == 1 &&
        dup2(err_, 2) == 2;
    if (ready) {
      // Appending, so that several writers of one stream don't overwrite each other.
      fcntl(1, F_SETFL, O_APPEND);
      fcntl(2, F_SETFL, O_APPEND);
      sigset_t none;
      sigemptyset(&none);
      sigprocmask(SIG_SETMASK, &none, nullptr);
      execvpe(argument_pointers[0], argument_pointers.data(), environment_pointers.data());
    }
    const int error = errno;
    static_cast<void>(!write(report[1], &error, sizeof error));
    _exit(127);
  }
  close(report[1]);
  int error = 0;
  const bool failed = read(report[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error);
  close(report[0]);
  if (failed) {
    waitpid(pid_, nullptr, 0);
    close(out_);
    close(err_);
    errno = error;
    fail("can't start " + argv[0]);
  }
}

Process::~Process() {
  if (running()) {
    ::kill(pid_, SIGKILL);
    wait(std::chrono::seconds(30));
  }
  close(out_);
  close(err_);
}

// Takes the child's news, if there are any. \returns whether it has ended
bool Process::poll(int flags) {
  if (code_) return true;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG | flags) != pid_) return false;
  if (WIFSTOPPED(status)) {
    stopped_ = true;
    return false;
  }
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return true;
}

bool Process::running() { return !poll(0); }

void Process::signal(int number) {
  if (running()) ::kill(pid_, number);
  if (number == SIGCONT) stopped_ = false;
}

std::optional<int> Process::wait(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!poll(0)) {
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return code_;
}

bool Process::wait_stopped(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!stopped_) {
    if (poll(WUNTRACED) || std::chrono::steady_clock::now() >= end) return stopped_;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

std::string Process::out() const { return content(out_); }
std::string Process::err() const { return content(err_); }

std::string run(const std::vector<std::string>& argv, const Process::Options& options,
                std::chrono::milliseconds timeout) {
  Process process(argv, options);
  const auto code = process.wait(timeout);
  if (code != 0) {
    throw std::runtime_error(argv[0] +
                             (code ? " ended with " + std::to_string(*code) : std::string(" takes too long")) + ": " +
                             process.err() + process.out());
  }
  return process.out();
}

}  // namespace xasink::test
