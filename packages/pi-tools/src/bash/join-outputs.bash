# Read by bash before a command: from here on both outputs are one, in the order in which they are written.
exec 2>&1
unset BASH_ENV
