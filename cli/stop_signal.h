// Ctrl-C (SIGINT), Ctrl-\ (SIGQUIT), SIGTERM and the end of the terminal (SIGHUP) as something
// that can be asked and waited for, so that a command ends where it wants to: with its summary,
// with its files complete, and with its lock given back.
#pragma once

namespace millrace::cli {

class StopSignal {
 public:
  // What one does that comes more than half a second after the first: it ends the program at
  // once, for who does not want to wait, or it leaves a mark, too.
  enum class Second { Ends, Counts };

  // From now on these signals only leave a mark. A SIGHUP that was ignored before (nohup) still
  // is. There is one StopSignal in a program.
  explicit StopSignal(Second second = Second::Ends);

  bool came() const { return number() != 0; }
  // Whether a second one came that counts.
  bool is_urgent() const;
  // Which one came, the last; 0: none.
  int number() const;

  // Readable once a signal came, and ever after: for poll().
  int descriptor() const;
};

}  // namespace millrace::cli
