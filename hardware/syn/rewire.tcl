# A layout with OpenROAD: puts diodes at the inputs that antennas.txt names, in the place of fillers, routes the nets of routed.odb anew that
# nets.txt names, and leaves all others as they are. Writes rewired.odb, .def and .v. layout.tcl says what the variables are.
#
# The router must not see the wires of other nets: it leaves nets alone that have some, but fails at the patches that they may have, and
# routes through them. So these nets are special for a while, and blockages.txt has the shapes of their wires and vias.

source $flow/layout.tcl

# The fillers: cell, place and width.
proc find_fillers {fillers} {
  set found [list]
  foreach cell [[block] getInsts] {
    set master [$cell getMaster]
    if {[string match $fillers [$master getName]]} { lappend found [list $cell {*}[$cell getLocation] [$master getWidth]] }
  }
  return $found
}

# Moves a cell to the filler nearest to it that is wide enough, in the filler's place, and takes the filler off the list. Returns false if there is
# none.
proc move_to_filler {cell list} {
  upvar $list fillers
  lassign [$cell getLocation] x y
  set width [[$cell getMaster] getWidth]
  set nearest -1
  set number -1
  foreach filler $fillers {
    incr number
    lassign $filler _ left low wide
    if {$wide < $width} { continue }
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

read_db routed.odb

set free [find_fillers $fillers]
foreach guard [make_diodes $diode rewired] { if {![move_to_filler $guard free]} { odb::dbInst_destroy $guard } }
filler_placement $fillers ;# beside diodes narrower than the filler was
check_placement -verbose

set file [open nets.txt]
while {[gets $file name] >= 0} {
  set wire [[[block] findNet $name] getWire]
  if {$wire ne "NULL"} { odb::dbWire_destroy $wire }
}
close $file
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
set file [open blockages.txt]
while {[gets $file line] >= 0} {
  lassign $line layer left low right high
  lappend blockages [odb::dbObstruction_create [block] [[[ord::get_db] getTech] findLayer $layer] $left $low $right $high]
}
close $file
find_access $layers ;# not before the blockages: the router never sees what is new after that
route_wires $layers rewired.drc
foreach net $others { $net clearSpecial }
foreach blockage $blockages { odb::dbObstruction_destroy $blockage }
keep_wiring rewired
