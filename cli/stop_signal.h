// Ctrl-C (SIGINT), Ctrl-\ (SIGQUIT), SIGTERM and the end of the terminal (SIGHUP) as something
// that can be asked and waited for, so that a command ends where it wants to: with its summary,
// with its files complete, and with its lock given back.
#pragma once

namespace millrace::cli {

class StopSignal {
 public:
  // From now on these signals only leave a mark. One that comes more than half a second after
  // the first ends the program at once, for users who do not want to wait. A SIGHUP that was
  // ignored before (nohup) still is. There is one StopSignal in a program.
  StopSignal();

  bool came() const { return number() != 0; }
  // Which one came, the last; 0: none.
  int number() const;

  // Readable once a signal came, and ever after: for poll().
  int descriptor() const;
};

}  // namespace millrace::cli
