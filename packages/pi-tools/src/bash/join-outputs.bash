# Read by bash before a command: from here on both outputs are one, in the order in which they are written.
exec 2>&1
# A limit that nothing reaches. Unlike the environment, no process that the command starts can lose it by the way.
ulimit -S -R "$MILLFORGE_CALL_MARK" 2>/dev/null
unset BASH_ENV MILLFORGE_CALL_MARK
