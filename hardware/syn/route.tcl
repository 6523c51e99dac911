# A layout with OpenROAD, third part: from placed.odb to repaired times and routed wires. Writes routed.odb, .def and .v.
# layout.tcl says what the variables are.

source $flow/layout.tcl

read_liberty $liberty
read_db ../placed.odb
make_clocks $clock_port $period $input_hold
set_propagated_clock core
allow_layers $layers $clock_layers $reserve
know_wires_and_cells $platform/$rc $load_layer $clock_layer $unused

put_diodes $diode $pad
# Placement knows of a wire its length alone. A planned route knows its layers and its detours. Repaired before the diodes were in,
# rc4_bram lost 0.4 ns by them in one of two runs.
global_route -congestion_iterations 100
estimate_parasitics $estimate
repair_design -slew_margin $load_margin -cap_margin $load_margin
follow_the_tree
repair_times planned_slack $hold_margin
filler_placement $fillers
check_placement -verbose
find_access $layers
global_route -congestion_iterations 100
route_wires $layers routed.drc
# Another routing has other antennas: most of them among the wires that are nearly some now.
count_sides $routed_factor
say_antennas near_antennas
count_sides 1
keep_wiring routed
