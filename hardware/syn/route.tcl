# A layout with OpenROAD, second part: from placed.odb to repaired times and routed wires. Writes routed.odb, .def and .v.
# layout.tcl says what the variables are.

source $flow/layout.tcl

# Puts a diode beside each of the inputs, CELL/PIN.
proc put_diodes_at {inputs diode} {
  set master [[ord::get_db] findMaster $diode]
  foreach pin [$master getMTerms] { if {[$pin getSigType] eq "SIGNAL"} { set diode_pin [$pin getName] } }
  set made 0
  foreach input $inputs {
    set end [string last / $input]
    set cell [[block] findInst [string range $input 0 $end-1]]
    if {$cell eq "NULL"} { continue } ;# a buffer of the repairs in an earlier routing
    set guard [odb::dbInst_create [block] $master "antenna_[incr made]"]
    [$guard findITerm $diode_pin] connect [[$cell findITerm [string range $input $end+1 end]] getNet]
    $guard setLocation {*}[$cell getLocation]
    $guard setPlacementStatus PLACED
  }
}

read_liberty $liberty
read_db ../placed.odb
make_clocks $clock_port $period $input_hold
set_propagated_clock core
allow_layers $layers $clock_layers $reserve
know_wires_and_cells $platform/$stem.rc $signal_layer $clock_layer $unused

set file [open antennas.txt]
put_diodes_at [split [string trim [read $file]] \n] $diode
close $file
set_placement_padding -global -left $pad -right $pad
detailed_placement
# Placement knows of a wire its length alone. A planned route knows its layers and its detours. Repaired before the diodes were in,
# rc4_bram lost 0.4 ns by them in one of two runs.
global_route -congestion_iterations 100
estimate_parasitics -global_routing
repair_design -slew_margin $load_margin -cap_margin $load_margin
follow_the_tree
repair_times planned_slack $hold_margin
write_verilog routed.v
filler_placement $fillers
check_placement -verbose
pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end]
global_route -congestion_iterations 100
detailed_route -output_drc drc.rpt -no_pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end] -verbose 1
# Another routing has other antennas: most of them among the wires that are nearly some now.
count_sides $routed_factor
say_antennas near_antennas
count_sides 1
keep_wiring routed
