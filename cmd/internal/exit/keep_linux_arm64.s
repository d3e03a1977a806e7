// The numbers of the system calls are those of unistd.h.

#include "textflag.h"

#define SYS_close 57
#define SYS_read 63
#define SYS_exit_group 94
#define SYS_clone 220
#define SYS_close_range 436

#define CLONE_VM 0x100
#define SIGCHLD 17

#define CLOSE(file) \
	MOVD $SYS_close, R8; \
	MOVD file, R0; \
	SVC

#define CLOSE_RANGE(first, last) \
	MOVD $SYS_close_range, R8; \
	MOVD first, R0; \
	MOVD last, R1; \
	MOVD ZR, R2; \
	SVC

// func keepMemory(read, write int) int
TEXT ·keepMemory(SB), NOSPLIT, $0-24
	MOVD read+0(FP), R19
	MOVD write+8(FP), R20
	SUB $1, R19, R21
	ADD $1, R19, R22
	MOVD $SYS_clone, R8
	MOVD $(CLONE_VM|SIGCHLD), R0
	MOVD ZR, R1 // the stack stays, and is not used
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	SVC
	CBZ R0, clone
	MOVD R0, ret+16(FP)
	RET

clone:
	CLOSE($0)
	CLOSE($1)
	CLOSE($2)
	CLOSE(R20)
	// The others stay open before Linux 5.9.
	CLOSE_RANGE($0, R21)
	CLOSE_RANGE(R22, $0xffffffff)
	MOVD $SYS_read, R8
	MOVD R19, R0
	MOVD RSP, R1 // nobody writes to the pipe
	MOVD $1, R2
	SVC
	MOVD $SYS_exit_group, R8
	MOVD ZR, R0
	SVC
	BRK
