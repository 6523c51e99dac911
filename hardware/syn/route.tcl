# A layout with OpenROAD, second part: from placed.odb to routed and extracted wires. layout.tcl says what the variables are.
# Puts a diode beside each input of a cell that a line of antennas.txt names.

source $flow/layout.tcl

proc put_diodes_at {inputs diode} {
  set master [[ord::get_db] findMaster $diode]
  foreach pin [$master getMTerms] { if {[$pin getSigType] eq "SIGNAL"} { set diode_pin [$pin getName] } }
  set made 0
  foreach input $inputs {
    set end [string last / $input]
    set cell [[block] findInst [string range $input 0 $end-1]]
    set guard [odb::dbInst_create [block] $master "antenna_[incr made]"]
    [$guard findITerm $diode_pin] connect [[$cell findITerm [string range $input $end+1 end]] getNet]
    $guard setLocation {*}[$cell getLocation]
    $guard setPlacementStatus PLACED
  }
}

read_liberty $liberty
read_db placed.odb
make_clocks $clock_port $period $input_hold
set_propagated_clock core
allow_layers $layers $clock_layers $reserve
source $platform/$stem.rc

set file [open antennas.txt]
put_diodes_at [split [string trim [read $file]] \n] $diode
close $file
set_placement_padding -global -left $pad -right $pad
detailed_placement
write_verilog routed.v
filler_placement $fillers
check_placement -verbose
pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end]
global_route -congestion_iterations 100
detailed_route -output_drc drc.rpt -no_pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end] -verbose 1
say drc [detailed_route_num_drvs]
check_antennas
say antennas [ant::antenna_violation_count]
# Another routing has other antennas: most of them among the wires that are nearly some now. layout.py reads them between these lines.
count_sides $antenna_factor
check_antennas
say near_antennas [ant::antenna_violation_count]
count_sides 1
write_def routed.def

define_process_corner -ext_model_index 0 X
extract_parasitics -ext_model_file $platform/$stem.rcx_rules
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
