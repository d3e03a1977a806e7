// The numbers of the system calls are those of unistd.h.

#include "textflag.h"

#define SYS_read 0
#define SYS_close 3
#define SYS_clone 56
#define SYS_exit_group 231
#define SYS_close_range 436

#define CLONE_VM 0x100
#define SIGCHLD 17

#define CLOSE(file) \
	MOVL $SYS_close, AX; \
	MOVL file, DI; \
	SYSCALL

#define CLOSE_RANGE(first, last) \
	MOVL $SYS_close_range, AX; \
	MOVL first, DI; \
	MOVL last, SI; \
	XORL DX, DX; \
	SYSCALL

// func keepMemory(read, write int) int
TEXT ·keepMemory(SB), NOSPLIT, $0-24
	MOVQ read+0(FP), R12
	MOVQ write+8(FP), R13
	LEAL -1(R12), R14
	LEAL 1(R12), R15
	MOVL $SYS_clone, AX
	MOVL $(CLONE_VM|SIGCHLD), DI
	XORL SI, SI // the stack stays, and is not used
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	TESTQ AX, AX
	JEQ clone
	MOVQ AX, ret+16(FP)
	RET

clone:
	CLOSE($0)
	CLOSE($1)
	CLOSE($2)
	CLOSE(R13)
	// The others stay open before Linux 5.9.
	CLOSE_RANGE($0, R14)
	CLOSE_RANGE(R15, $0xffffffff)
	MOVL $SYS_read, AX
	MOVL R12, DI
	MOVQ SP, SI // nobody writes to the pipe
	MOVL $1, DX
	SYSCALL
	MOVL $SYS_exit_group, AX
	XORL DI, DI
	SYSCALL
	INT $3
