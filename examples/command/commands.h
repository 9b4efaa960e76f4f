/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands, one a file. Each returns the exit status of the command. */
#ifndef COMMAND_COMMANDS_H
#define COMMAND_COMMANDS_H

#include "arguments.h"

enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,
    EXIT_BAD_INPUT = 2
};

int command_devices(const argument_list *arguments);
int command_models(const argument_list *arguments);
int command_device(const argument_list *arguments);
int command_model(const argument_list *arguments);
int command_step(const argument_list *arguments);
int command_memory(const argument_list *arguments);
int command_kernel(const argument_list *arguments);
int command_sweep(const argument_list *arguments);
int command_completion(const argument_list *arguments);
int command_manual(const argument_list *arguments);
int command_layout(const argument_list *arguments);

#endif
