// Counts and the nouns behind them: messages are written for several, and "1 elements have" becomes "1 element has".
#ifndef TCPC_BASE_AGREE_H
#define TCPC_BASE_AGREE_H

// Changes "text" in place; it becomes no longer.  A number that names one of several, "thread 1 copies", or that is a part
// of an expression or a range stays as it is.
void agree(char *text);

#endif
