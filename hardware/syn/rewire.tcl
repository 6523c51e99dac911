# A layout with OpenROAD: routes the nets of routed.odb anew that nets.txt names, and leaves all others as they are. Writes rewired.odb and .def.
# layout.tcl says what the variables are, and `left_out` is how many of the lowest layers the plan of these wires leaves out.
#
# The router must not see the wires of other nets: it leaves nets alone that have some, but fails at the patches that they may have, and
# routes through them. So these nets are special for a while, and blockages.txt has the shapes of their wires and vias.

source $flow/layout.tcl

read_db routed.odb
set allowed [lrange $layers $left_out end]
allow_layers $allowed [lindex $allowed 0]-[lindex $allowed end] $reserve

set file [open nets.txt]
foreach name [split [string trim [read $file]] \n] {
  set wire [[[block] findNet $name] getWire]
  if {$wire ne "NULL"} { odb::dbWire_destroy $wire }
}
close $file
global_route -congestion_iterations 100

set others [list]
foreach net [[block] getNets] {
  if {[$net getWire] eq "NULL"} { continue }
  $net clearGuides
  $net setSpecial
  lappend others $net
}
set blockages [list]
set file [open blockages.txt]
while {[gets $file line] >= 0} {
  lassign $line layer left low right high
  lappend blockages [odb::dbObstruction_create [block] [[[ord::get_db] getTech] findLayer $layer] $left $low $right $high]
}
close $file
detailed_route -output_drc drc.rpt -no_pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end] -verbose 1
foreach net $others { $net clearSpecial }
foreach blockage $blockages { odb::dbObstruction_destroy $blockage }
keep_wiring rewired
