# A layout with OpenROAD, last part: extracts the wires of routed.odb into routed.spef, and says what they are. layout.tcl says what the
# variables are.

source $flow/layout.tcl

read_liberty $liberty
read_db routed.odb
make_clocks $clock_port $period $input_hold
set_propagated_clock core
source $platform/$rc

define_process_corner -ext_model_index 0 X
extract_parasitics -ext_model_file $platform/$rcx_rules
write_spef routed.spef
read_spef routed.spef
follow_the_tree

set length 0
foreach net [[block] getNets] {
  set wire [$net getWire]
  if {$wire ne "NULL"} { set length [expr {$length + [$wire getLength]}] }
}
say wire_um [expr {$length / double([[block] getDefUnits])}]
set box [[block] getDieArea]
say side_um [expr {([$box xMax] - [$box xMin]) / double([[block] getDefUnits])}]
say slack [sta::worst_slack -max]
say hold [sta::worst_slack -min]
say skew [sta::worst_clock_skew -setup]
set found [latencies]
say latency_first [lindex $found 0]
say latency_last [lindex $found end]
say slew_violations [sta::max_slew_violation_count]
say load_violations [sta::max_capacitance_violation_count]
report_checks -path_delay max -format full_clock_expanded -fields {input_pin slew capacitance} -digits 3
report_checks -path_delay min -format full_clock_expanded -fields {input_pin slew capacitance} -digits 3
report_clock_skew -digits 4
report_check_types -max_capacitance -max_slew -violators
report_power
