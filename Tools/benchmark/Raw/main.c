// Runs one job and prints its memory and time.
//
//     BenchmarkRaw <job> <library> <file> <key> <count> <repetitions> [<sql> ...]
//
// Prints the memory in use before the first run and the peak, both in KiB, and the seconds of each run.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jobs.h"

static const struct {
  const char *name;
  void (*run)(const job *job);
} jobs[] = {
  {"script", job_script},
  {"open", job_open},
  {"install", job_install},
  {"install-grouped", job_install_grouped},
  {"insert", job_insert},
  {"recreate", job_recreate},
  {"fleet-open", job_fleet_open},
  {"fleet-install", job_fleet_install},
  {"read", job_read},
  {"encrypt", job_export},
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// Returns a number from /proc/self/status; zero on other systems.
static long memory(const char *field) {
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  long value = 0;
  while (status && fgets(line, sizeof line, status))
    if (!strncmp(line, field, strlen(field))) sscanf(line + strlen(field), ": %ld", &value);
  if (status) fclose(status);
  return value;
}

int main(int count, char **arguments) {
  if (count < 7) return 2;
  const engine engine = engine_load(arguments[2]);
  const job job = {&engine, arguments[3], arguments[4], atol(arguments[5]), arguments + 7, count - 7};
  for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
    if (strcmp(jobs[i].name, arguments[1])) continue;
    int repetitions = atoi(arguments[6]);
    double *seconds = calloc((size_t)repetitions, sizeof(double));
    long before = memory("VmRSS");
    for (int run = 0; run < repetitions; run++) {
      // An installation cannot be repeated in the same file.
      if (run > 0 && !strncmp(jobs[i].name, "install", 7)) unlink(job.file);
      double start = now();
      jobs[i].run(&job);
      seconds[run] = now() - start;
    }
    printf("%ld %ld", before, memory("VmHWM"));
    for (int run = 0; run < repetitions; run++) printf(" %.9f", seconds[run]);
    printf("\n");
    return 0;
  }
  fprintf(stderr, "BenchmarkRaw: there is no job \"%s\"\n", arguments[1]);
  return 2;
}
