/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GT_KICK_H
#define GT_KICK_H

/*
 * There is something for the reader or for the session's worker: a full
 * buffer, few empty ones, little table memory, dead tasks. Any context but
 * NMI; wakes nobody by itself (session.c).
 */
void gt_kick(void);

#endif /* GT_KICK_H */
