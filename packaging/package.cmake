# The .deb; see below once there is something to install.
