// Ctrl-C (SIGINT) and SIGTERM as something that can be asked and waited for, so that a
// command ends where it wants to: with its summary, and with its files complete.
#pragma once

namespace millrace::cli {

class StopSignal {
 public:
  // From now on both signals only leave a mark. One that comes more than half a second after
  // the first ends the program at once, for who does not want to wait. There is one StopSignal
  // in a program.
  StopSignal();

  bool came() const { return number() != 0; }
  // Which one came, the last; 0: none.
  int number() const;

  // Readable once a signal came, and ever after: for poll().
  int descriptor() const;
};

}  // namespace millrace::cli
