# The one front door. `make help` lists the targets; tasks/*.toml define them, and tasks/README.md says how.
TASKS = $(or $(MAKECMDGOALS),help)

# The program takes all targets at once, and the variables of the command line by name: make has put them into the environment.
export MAKE_VARIABLES := $(foreach name,$(.VARIABLES),$(if $(findstring command line,$(origin $(name))),$(name)))

.PHONY: $(TASKS)
$(firstword $(TASKS)):
	@python3 tasks/run.py $(TASKS)

$(wordlist 2,$(words $(TASKS)),$(TASKS)): $(firstword $(TASKS)) ;
