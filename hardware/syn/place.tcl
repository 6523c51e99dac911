# A layout with OpenROAD, first part: from a mapped netlist to placed cells and a clock tree. Writes placed.odb. layout.tcl says what the
# variables are, and:
#
# netlist, top              the design
# gates, gate_pins          the library's clock gates, and their pins: clock, enable, output

source $flow/layout.tcl

# How far the cells of some pins lie apart, along both sides.
proc spread {pins} {
  set xs [list]
  set ys [list]
  foreach pin $pins {
    lassign [[$pin getInst] getLocation] x y
    lappend xs $x
    lappend ys $y
  }
  set xs [lsort -integer $xs]
  set ys [lsort -integer $ys]
  return [list [expr {[lindex $xs end] - [lindex $xs 0]}] [expr {[lindex $ys end] - [lindex $ys 0]}]]
}

# The sum of both, in µm.
proc reach {pins} { return [expr {[tcl::mathop::+ {*}[spread $pins]] / double([[block] getDefUnits])}] }

# Groups of at most `limit` pins that lie within `far` µm: halves along the longer side.
proc groups {pins limit far} {
  if {[llength $pins] == 1 || [llength $pins] <= $limit && [reach $pins] <= $far} { return [list $pins] }
  set places [list]
  foreach pin $pins {
    lassign [[$pin getInst] getLocation] x y
    lappend places [list $pin $x $y]
  }
  lassign [spread $pins] width height
  set axis [expr {$width >= $height ? 1 : 2}]
  set inorder [lmap place [lsort -integer -index $axis $places] { lindex $place 0 }]
  set half [expr {[llength $pins] / 2}]
  return [concat [groups [lrange $inorder 0 [expr {$half - 1}]] $limit $far] [groups [lrange $inorder $half end] $limit $far]]
}

# Copies each clock gate for groups of its flip-flops, in their middle, so that gates stand at the leaves of the tree. A gate of few flip-flops
# that lie within `near` µm stays as it is. Where they lay apart, it made 15 slow edges in rc4_pipe_1. Where a group was small but lay on 1.7 mm,
# its copy made most of the 73 slow edges of rc4_still_2.
proc copy_gates {kinds pins strong limit far near} {
  set made 0
  foreach gate [[block] getInsts] {
    if {[[$gate getMaster] getName] ni $kinds} { continue }
    lassign $pins clock enable out
    set driver [$gate findITerm $out]
    set gated [$driver getNet]
    set sinks [list]
    foreach pin [$gated getITerms] { if {$pin ne $driver && [$pin isInputSignal]} { lappend sinks $pin } }
    if {[llength $sinks] <= 8 && [reach $sinks] <= $near} { continue }
    foreach part [groups $sinks $limit $far] {
      incr made
      set copy [odb::dbInst_create [block] [[ord::get_db] findMaster $strong] "gate_$made"]
      [$copy findITerm $clock] connect [[$gate findITerm $clock] getNet]
      [$copy findITerm $enable] connect [[$gate findITerm $enable] getNet]
      set net [odb::dbNet_create [block] "gated_$made"]
      $net setSigType CLOCK
      [$copy findITerm $out] connect $net
      set x 0
      set y 0
      foreach pin $part {
        $pin connect $net
        lassign [[$pin getInst] getLocation] left low
        incr x $left
        incr y $low
      }
      $copy setLocation [expr {$x / [llength $part]}] [expr {$y / [llength $part]}]
      $copy setPlacementStatus PLACED
    }
    odb::dbInst_destroy $gate
    odb::dbNet_destroy $gated
  }
  return $made
}

read_lef tech.lef ;# layout.py writes it
read_lef $platform/$cells_lef
read_liberty $liberty
read_verilog $netlist
link_design $top

make_clocks $clock_port $period $input_hold

initialize_floorplan -utilization $utilisation -aspect_ratio 1 -core_space $margin_um -site $site
source $platform/$tracks
remove_buffers
place_pins -random -hor_layers $hor_layer -ver_layers $ver_layer
if {$tap_cell ne ""} { tapcell -distance $tap_um -tapcell_master $tap_cell }
source $platform/$pdn
pdngen
allow_layers $layers $clock_layers $reserve

know_wires_and_cells $platform/$rc $signal_layer $clock_layer $unused

set density [expr {[gpl::get_global_placement_uniform_density -pad_left $pad -pad_right $pad] + $spare}]
global_placement {*}$placement -density $density -pad_left $pad -pad_right $pad
place_pins -hor_layers $hor_layer -ver_layers $ver_layer

say gates [copy_gates $gates $gate_pins $strong_gate $gate_sinks $gate_um $near_um]
estimate_parasitics -placement
repair_design -slew_margin $load_margin -cap_margin $load_margin
repair_tie_fanout -separation 5 $tie_low
repair_tie_fanout -separation 5 $tie_high
# Pins of cells without a space between them lie too close for the router: thousands of shorts on met1.
set_placement_padding -global -left $pad -right $pad
detailed_placement
estimate_parasitics -placement
say ideal_slack [sta::worst_slack -max]

# Nearly all leaves are clock gates. With clusters of leaves, some gates had a buffer more before them than others: in rc4_still_2 1.00 ns of skew
# and 183 buffers, without them 0.70 ns and 99.
clock_tree_synthesis -clk_nets $clock_port -root_buf $clock_buffer -buf_list $clock_buffer
repair_clock_nets
detailed_placement
set_propagated_clock core
estimate_parasitics -placement
follow_the_tree
report_clock_skew -digits 4
say tree_slack [sta::worst_slack -max]

repair_times repaired_slack $hold_margin
write_db placed.odb
