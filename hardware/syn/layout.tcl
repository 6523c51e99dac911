# What the parts of the flow share. layout.py writes a script that sets the variables and sources one of the parts, which sources this file.
#
# platform, liberty         the folder of the technology's files, and the library
# clock_port                the design's clock
# period                    the clock to repair for, in ns
# threads                   of the search for access to pins, and of the detailed router
# the others                entries of layout.toml

proc say {name value} { puts "layout: $name $value" }

proc block {} { return [[[ord::get_db] getChip] getBlock] }

# The lines of a file that layout.py wrote.
proc read_lines {name} {
  set file [open $name]
  set lines [split [string trim [read $file]] \n]
  close $file
  return $lines
}

# The delay from the clock's port to each flip-flop, in ns, sorted.
proc latencies {} {
  set found [list]
  foreach pin [all_registers -clock_pins] {
    foreach vertex [$pin vertices] {
      foreach {early late} [$vertex arrivals_clk_delays rise [get_clocks core] rise 5] { if {[string is double $late]} { lappend found $late } }
    }
  }
  return [lsort -real $found]
}

# What is outside hangs on a tree like the core's: on its median.
proc follow_the_tree {} {
  set found [latencies]
  set_clock_latency [lindex $found [expr {[llength $found] / 2}]] [get_clocks outside]
}

# The core's clock, and one outside that the inputs and outputs follow.
proc make_clocks {port period input_hold} {
  create_clock -name core -period $period [get_ports $port]
  create_clock -name outside -period $period
  set ends [list]
  foreach input [all_inputs] { if {[get_full_name $input] ne $port} { lappend ends $input } }
  set_input_delay -max 0 -clock outside $ends
  set_input_delay -min $input_hold -clock outside $ends
  set_output_delay 0 -clock outside [all_outputs]
}

# The layers that wires may take, and the share of each that stays free.
proc allow_layers {layers clock_layers reserve} {
  foreach layer $layers share $reserve { set_global_routing_layer_adjustment $layer $share }
  set_routing_layers -signal [lindex $layers 0]-[lindex $layers end] -clock $clock_layers
}

# What the repairs know of wires and cells. A database does not keep it.
proc know_wires_and_cells {rc signal_layer clock_layer unused} {
  uplevel #0 [list source $rc]
  set_wire_rc -signal -layer $signal_layer
  set_wire_rc -clock -layer $clock_layer
  set_dont_use $unused
}

# Counts the sides of a wire `factor` times when antennas are looked for.
proc count_sides {factor} {
  foreach layer [[[ord::get_db] getTech] getLayers] {
    if {[$layer hasDefaultAntennaRule]} { [$layer getDefaultAntennaRule] setSideAreaFactor $factor }
  }
}

# Looks for antennas and logs their number as `name`. layout.py reads the nets and inputs before this line.
proc say_antennas {name} {
  check_antennas
  say $name [ant::antenna_violation_count]
}

# Makes a diode at an input, CELL/PIN. Returns {} if there is no such cell.
proc make_diode {diode input name} {
  set end [string last / $input]
  set cell [[block] findInst [string range $input 0 $end-1]]
  if {$cell eq "NULL"} { return {} }
  set master [[ord::get_db] findMaster $diode]
  foreach pin [$master getMTerms] { if {[$pin getSigType] eq "SIGNAL"} { set diode_pin [$pin getName] } }
  set made [odb::dbInst_create [block] $master $name]
  [$made findITerm $diode_pin] connect [[$cell findITerm [string range $input $end+1 end]] getNet]
  $made setLocation {*}[$cell getLocation]
  $made setPlacementStatus PLACED
  return $made
}

# Makes a diode at each input that antennas.txt names, and calls it PREFIX_NUMBER, after those that are there. Returns the diodes. An input may be
# gone: a buffer of the repairs in an earlier routing.
proc make_diodes {diode prefix} {
  set number 0
  foreach cell [[block] getInsts] { if {[string match ${prefix}_* [$cell getName]]} { incr number } }
  set made [list]
  foreach input [read_lines antennas.txt] {
    set guard [make_diode $diode $input ${prefix}_[incr number]]
    if {$guard ne {}} { lappend made $guard }
  }
  return $made
}

# Makes diodes as antennas.txt says, and places them.
proc put_diodes {diode pad} {
  make_diodes $diode antenna
  set_placement_padding -global -left $pad -right $pad
  detailed_placement
}

# Routes the planned wires, and writes where they are wrong into a file.
proc route_wires {layers file} {
  detailed_route -output_drc $file -no_pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end] -verbose 1
}

# Finds the access points of all pins.
proc find_access {layers} { pin_access -bottom_routing_layer [lindex $layers 0] -top_routing_layer [lindex $layers end] }

# Logs what is wrong with routed wires, and keeps the layout as NAME.odb, NAME.def and NAME.v.
proc keep_wiring {name} {
  say drc [detailed_route_num_drvs]
  say_antennas antennas
  write_db $name.odb
  write_def $name.def
  write_verilog $name.v
}

# Repairs setup and hold times, logs the slack that is reached as `name`, and places the new cells.
proc repair_times {name hold_margin} {
  repair_timing -setup
  repair_timing -hold -hold_margin $hold_margin
  say $name [sta::worst_slack -max]
  detailed_placement
  check_placement -verbose
}

set_thread_count $threads
