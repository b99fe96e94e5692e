// Ctrl-C (SIGINT), Ctrl-\ (SIGQUIT), SIGTERM and the end of the terminal (SIGHUP) as an object that can be checked and
// waited for. So a command can end in an orderly way: it prints its summary, completes its files, and releases its
// lock.
#pragma once

namespace millrace::cli {

class StopSignal {
 public:
  // What a second signal does, if it comes more than half a second after the first. Ends: it ends the program at once,
  // for users who do not want to wait. Counts: it is only recorded, too.
  enum class Second { Ends, Counts };

  // From now on, these signals are only recorded. A SIGHUP that was ignored before (nohup) is still ignored. A program
  // has only one StopSignal.
  explicit StopSignal(Second second = Second::Ends);

  bool came() const { return number() != 0; }
  // Whether a second signal came, with Second::Counts.
  bool is_urgent() const;
  // The last signal that came; 0: none.
  int number() const;

  // Readable once a signal came, and from then on: for poll().
  int descriptor() const;
};

}  // namespace millrace::cli
