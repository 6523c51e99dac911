# A layout with OpenROAD: puts diodes at the inputs that antennas.txt names, and buffers at the drivers of the nets that loads.txt names, in the
# place of fillers. Routes the nets of routed.odb anew that nets.txt names, and leaves all others as they are. Writes rewired.odb, .def and .v.
# layout.tcl says what the variables are.
#
# The router must not see the wires of other nets: it leaves nets alone that have some, but fails at the patches that they may have, and
# routes through them. So these nets are special for a while, and blockages.txt has the shapes of their wires and vias.

source $flow/layout.tcl

# The fillers that a cell can take the place of: cell and place. Rows are as high as the cell, and the narrowest filler is one site wide. No
# shape on `layer` crosses the sites that the cell would take: the router would not reach its pin. Two diodes under wires of the lowest layer
# left errors of wiring in rc4_still_2 that 64 passes did not remove.
proc find_fillers {fillers master layer shapes} {
  set width [$master getWidth]
  set height [$master getHeight]
  set all [list]
  foreach cell [[block] getInsts] { if {[string match $fillers [[$cell getMaster] getName]]} { lappend all $cell } }
  if {![llength $all]} { return $all }
  lassign [[lindex $all 0] getLocation] x y
  set site [tcl::mathfunc::min {*}[lmap cell $all { [$cell getMaster] getWidth }]]
  foreach shape $shapes {
    lassign $shape on left low right high
    if {$on ne $layer} { continue }
    for {set row [expr {($low - $y) / $height}]} {$row * $height + $y < $high} {incr row} {
      for {set column [expr {($left - $x) / $site}]} {$column * $site + $x < $right} {incr column} { set crossed($row,$column) 1 }
    }
  }
  set found [list]
  foreach cell $all {
    if {[[$cell getMaster] getWidth] < $width} { continue }
    lassign [$cell getLocation] left low
    set row [expr {($low - $y) / $height}]
    set free true
    for {set column [expr {($left - $x) / $site}]} {$column * $site + $x < $left + $width} {incr column} {
      if {[info exists crossed($row,$column)]} { set free false }
    }
    if {$free} { lappend found [list $cell $left $low] }
  }
  return $found
}

# Moves a cell to the filler nearest to it, in the filler's place, and takes the filler off the list. Returns false if there is none.
proc move_to_filler {cell list} {
  upvar $list fillers
  lassign [$cell getLocation] x y
  set nearest -1
  set number -1
  foreach filler $fillers {
    incr number
    lassign $filler _ left low
    set far [expr {abs($left - $x) + abs($low - $y)}]
    if {$nearest < 0 || $far < $least} {
      set nearest $number
      set least $far
    }
  }
  if {$nearest < 0} { return false }
  lassign [lindex $fillers $nearest] filler left low
  set fillers [lreplace $fillers $nearest $nearest]
  $cell setOrient [$filler getOrient] ;# before its location: a turn moves the cell
  $cell setLocation $left $low
  odb::dbInst_destroy $filler
  return true
}

# Puts a buffer between the driver of a net and all its loads, near the driver. The driver's end becomes a net of its own. A net that a port
# drives stays as it is.
proc relieve {net master name list} {
  upvar $list fillers
  set driver [$net getFirstOutput]
  if {$driver eq "NULL"} { return }
  set buffer [odb::dbInst_create [block] $master $name]
  $buffer setLocation {*}[[$driver getInst] getLocation]
  $buffer setPlacementStatus PLACED
  if {![move_to_filler $buffer fillers]} {
    odb::dbInst_destroy $buffer
    return
  }
  set short [odb::dbNet_create [block] net_$name]
  $driver disconnect
  $driver connect $short
  foreach pin [$buffer getITerms] {
    if {[$pin isInputSignal]} { $pin connect $short }
    if {[$pin isOutputSignal]} { $pin connect $net }
  }
}

read_db routed.odb

set shapes [read_lines blockages.txt] ;# layer, left, low, right, high
set layer [lindex $layers 0]
set loads [read_lines loads.txt]
if {[llength $loads]} {
  set master [[ord::get_db] findMaster $load_buffer]
  set free [find_fillers $fillers $master $layer $shapes]
  set number 0
  foreach name $loads { relieve [[block] findNet $name] $master relieved_[incr number] free }
}
set free [find_fillers $fillers [[ord::get_db] findMaster $diode] $layer $shapes]
foreach guard [make_diodes $diode rewired] { if {![move_to_filler $guard free]} { odb::dbInst_destroy $guard } }
filler_placement $fillers ;# beside diodes narrower than the filler was
check_placement -verbose

foreach name [read_lines nets.txt] {
  set wire [[[block] findNet $name] getWire]
  if {$wire ne "NULL"} { odb::dbWire_destroy $wire }
}
# A long wire on the lowest layer is an antenna even beside diodes, if only wires above lead to them.
set upper [lrange $layers 1 end]
allow_layers $upper [lindex $upper 0]-[lindex $upper end] [lrange $reserve 1 end]
global_route -congestion_iterations 100

set others [list]
foreach net [[block] getNets] {
  if {[$net getWire] eq "NULL"} { continue }
  $net clearGuides
  $net setSpecial
  lappend others $net
}
# Of special nets no access points are sought, and an old one is an error.
foreach net $others {
  foreach pin [$net getITerms] { foreach shape [[$pin getMTerm] getMPins] { $pin setAccessPoint $shape NULL } }
}
set blockages [list]
foreach shape $shapes {
  lassign $shape layer left low right high
  lappend blockages [odb::dbObstruction_create [block] [[[ord::get_db] getTech] findLayer $layer] $left $low $right $high]
}
find_access $layers ;# not before the blockages: the router never sees what is new after that
route_wires $layers rewired.drc
foreach net $others { $net clearSpecial }
foreach blockage $blockages { odb::dbObstruction_destroy $blockage }
keep_wiring rewired
