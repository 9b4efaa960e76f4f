/* SPDX-License-Identifier: Apache-2.0 */
/* The complete program of roofline.h, built against an installed library: prints one decode step of a model. */
#include <roofline.h>
#include <stdio.h>

int main(int count, char **arguments) {
    roofline_device *device = NULL;
    roofline_model *model = NULL;
    roofline_plan *plan = NULL;
    roofline_error error;
    roofline_deployment deployment;
    const char *path = count > 1 ? arguments[1] : "config.json";
    roofline_deployment_init(&deployment, sizeof deployment);
    if (roofline_device_open("h100-sxm", &device, &error) != ROOFLINE_OK ||
        roofline_model_load(path, &model, &error) != ROOFLINE_OK ||
        roofline_plan_new(device, model, &deployment, &plan, &error) != ROOFLINE_OK) {
        fprintf(stderr, "%s: %s\n", error.path, error.message);
        return 1;
    }
    roofline_sequences decode = {.struct_size = sizeof decode, .count = 8, .new_tokens = 1, .context_tokens = 8192};
    roofline_step_result step = {.struct_size = sizeof step};
    if (roofline_step_groups(plan, &decode, 1, sizeof decode, &step, &error) != ROOFLINE_OK) {
        fprintf(stderr, "%s: %s\n", error.path, error.message);
        return 1;
    }
    printf("%.3f ms, %.0f tokens/s\n", 1e3 * step.kernel_s, step.tokens_per_s);
    roofline_plan_free(plan);
    roofline_model_free(model);
    roofline_device_free(device);
    return 0;
}
